import { createHmac, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isSameText, Signing } from '../../../common/signing/signer.js';
import type { EditContent, LogContent } from '../records/log-row.js';
import { canonicalEdit, canonicalLog } from './canonical.js';
import { sha256Text } from './hashing.js';

/** Stored beside a record or an edit; made once, when it is stored. */
export interface Leaf {
  leafHash: string;
  mac: string;
}

interface Owner {
  id: string;
  tenantId: string;
}

/** Makes and checks the leaves of the Merkle trees: see docs/document-log-seals.md. */
@Injectable()
export class LeafService {
  private readonly key: KeyObject;

  constructor(signing: Signing) {
    this.key = signing.macKey('log-mac');
  }

  leafOfLog(log: LogContent, canonical = canonicalLog(log)): Leaf {
    return this.leaf(log, canonical);
  }

  leafOfEdit(edit: EditContent): Leaf {
    return this.leaf(edit, canonicalEdit(edit));
  }

  /** Whether a leaf was made here for this row: without SECRET_KEY nobody can make one, or copy one to another row. */
  isAuthentic(row: Leaf & Owner): boolean {
    const { leafHash } = row;
    return this.isSame({ leafHash, mac: this.macOf(row, leafHash) }, row);
  }

  /** Whether the stored leaf equals the one computed from the content. */
  isSame(computed: Leaf, stored: Leaf): boolean {
    return computed.leafHash === stored.leafHash && isSameText(stored.mac, computed.mac);
  }

  private leaf(owner: Owner, content: string): Leaf {
    // U+0000 is the byte 0x00 that RFC 6962 puts before a leaf.
    const leafHash = sha256Text(`\0${content}`);
    return { leafHash, mac: this.macOf(owner, leafHash) };
  }

  /** Covers the ids, so that the sealer, which does not read the content, refuses a copy. */
  private macOf({ id, tenantId }: Owner, leafHash: string): string {
    return createHmac('sha256', this.key).update(leafHash, 'base64url').update(`${id}\n${tenantId}`).digest('base64url');
  }
}
