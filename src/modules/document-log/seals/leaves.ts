import { Injectable } from '@nestjs/common';
import type { EditContent, LogContent } from '../log-row.js';

/** What is stored beside a record or an edit, made once, when it is stored. */
export interface Leaf {
  leafHash: string;
  mac: string;
}

/** Makes the leaves of the Merkle trees: see docs/document-log-seals.md. */
@Injectable()
export class Leaves {
  ofLog(_log: LogContent): Leaf {
    return { leafHash: 'not yet', mac: 'not yet' };
  }

  ofEdit(_edit: EditContent): Leaf {
    return { leafHash: 'not yet', mac: 'not yet' };
  }
}
