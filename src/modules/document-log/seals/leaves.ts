import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Signing } from '../../../common/signing/signer.js';
import type { EditContent, LogContent } from '../log-row.js';
import { sha256Text } from './hashing.js';

/** What is stored beside a record or an edit, made once, when it is stored. */
export interface Leaf {
  leafHash: string;
  mac: string;
}

interface Owner {
  id: string;
  tenantId: string;
}

/** Makes the leaves of the Merkle trees: see docs/document-log-seals.md. */
@Injectable()
export class Leaves {
  private readonly key: Buffer;

  constructor(signing: Signing) {
    this.key = signing.key('log-mac');
  }

  ofLog(log: LogContent, canonical = canonicalLog(log)): Leaf {
    return this.leafOf(log, canonical);
  }

  ofEdit(edit: EditContent): Leaf {
    return this.leafOf(edit, canonicalEdit(edit));
  }

  /** Whether a leaf was made here, for this row: who does not hold SECRET_KEY can make none, nor copy one to another row. */
  isOurs(row: Leaf & Owner): boolean {
    const { leafHash } = row;
    return this.isLeafOf({ leafHash, mac: this.macOf(row, leafHash) }, row);
  }

  /** Whether what is stored beside a content is what was computed from it, to the letter. */
  isLeafOf(computed: Leaf, stored: Leaf): boolean {
    const [right, given] = [Buffer.from(computed.mac), Buffer.from(stored.mac)];
    return computed.leafHash === stored.leafHash && given.length === right.length && timingSafeEqual(given, right);
  }

  private leafOf(owner: Owner, content: string): Leaf {
    // U+0000 is the byte 0x00 that RFC 6962 puts before a leaf.
    const leafHash = sha256Text(`\0${content}`);
    return { leafHash, mac: this.macOf(owner, leafHash) };
  }

  /** With the ids, so that the sealer, which does not read the content, refuses a copy. */
  private macOf({ id, tenantId }: Owner, leafHash: string): string {
    return createHmac('sha256', this.key).update(leafHash, 'base64url').update(`${id}\n${tenantId}`).digest('base64url');
  }
}

/** RFC 8785: the members stand in its order, and JSON.stringify spells strings as it asks for. Absent ones are left out. */
export function canonicalLog(log: LogContent): string {
  return JSON.stringify({
    action: log.action ?? undefined,
    attributeId: log.attributeId ?? undefined,
    authorId: log.authorId ?? undefined,
    comment: log.comment ?? undefined,
    createdAt: log.createdAt.toISOString(),
    custom1: log.custom1 ?? undefined,
    custom2: log.custom2 ?? undefined,
    dateTime: log.dateTime.toISOString(),
    details: log.details,
    documentId: log.documentId,
    documentType: log.documentType,
    id: log.id,
    tenantId: log.tenantId,
    type: 'log',
  });
}

export function canonicalEdit(edit: EditContent): string {
  return JSON.stringify({
    dateTime: edit.dateTime.toISOString(),
    field: edit.field,
    id: edit.id,
    logId: edit.logId,
    newValue: edit.newValue ?? undefined,
    oldValue: edit.oldValue ?? undefined,
    tenantId: edit.tenantId,
    type: 'edit',
  });
}
