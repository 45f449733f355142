import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Signing } from '../../../common/signing/signer.js';
import type { EditContent, LogContent } from '../log-row.js';
import { sha256 } from './hashing.js';

/** What is stored beside a record or an edit, made once, when it is stored. */
export interface Leaf {
  leafHash: string;
  mac: string;
}

/** Makes the leaves of the Merkle trees: see docs/document-log-seals.md. */
@Injectable()
export class Leaves {
  private readonly key: Buffer;

  constructor(signing: Signing) {
    this.key = signing.key('log-mac');
  }

  ofLog(log: LogContent): Leaf {
    return this.leafOf(canonicalLog(log));
  }

  ofEdit(edit: EditContent): Leaf {
    return this.leafOf(canonicalEdit(edit));
  }

  /** Whether a leaf was made here: who does not hold SECRET_KEY can make none. */
  isOurs(stored: Leaf): boolean {
    const mac = this.macOf(Buffer.from(stored.leafHash, 'base64url')).toString('base64url');
    return this.isLeafOf({ leafHash: stored.leafHash, mac }, stored);
  }

  /** Whether what is stored beside a content is what was computed from it, to the letter. */
  isLeafOf(computed: Leaf, stored: Leaf): boolean {
    const [right, given] = [Buffer.from(computed.mac), Buffer.from(stored.mac)];
    return computed.leafHash === stored.leafHash && given.length === right.length && timingSafeEqual(given, right);
  }

  private leafOf(content: string): Leaf {
    // U+0000 is the byte 0x00 that RFC 6962 puts before a leaf.
    const hash = sha256(`\0${content}`);
    return { leafHash: hash.toString('base64url'), mac: this.macOf(hash).toString('base64url') };
  }

  private macOf(hash: Buffer): Buffer {
    return createHmac('sha256', this.key).update(hash).digest();
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
