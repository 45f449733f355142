import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type DerivedKey, isSameText, Signing } from '../../../common/signing/signer.js';
import { type EditContent, ERASED, type LogContent, type Salted } from './log-row.js';
import { canonicalEdit, canonicalLog, personalOfEdit, personalOfLog } from './canonical.js';
import { leafHashOf, personalHashOf } from './merkle.js';

/** Stored beside a record or an edit; made once, when it is stored. */
export interface Leaf {
  leafHash: string;
  mac: string;
}

interface Owner {
  id: string;
  tenantId: string;
}

const SALT_BYTES = 16;
/** The edit that seals an erasure has no personal members. */
const NOTHING_PERSONAL: Salted = { salt: null, personalHash: null };

/** Makes and checks the leaves of the Merkle trees: see docs/document-log-seals.md. */
@Injectable()
export class LeafService {
  /** The first makes the MACs of new leaves. */
  private readonly keys: DerivedKey[];

  constructor(signing: Signing) {
    this.keys = signing.macKeys('log-mac');
  }

  /** Adds its leaf to a new record. Returns it, and the canonical JSON of everything that a leaf covers. */
  newLog<T extends LogContent>(log: T): { row: T & Leaf & Salted; canonical: string } {
    const personal = personalOfLog(log);
    const salted = Object.assign(log, salt(personal));
    const content = canonicalLog(salted);
    return {
      row: Object.assign(salted, this.leafOfLog(salted, content)),
      canonical: `${content.slice(0, -1)},${personal.slice(1)}`,
    };
  }

  /** Adds its leaf to a new edit. */
  newEdit<T extends EditContent>(edit: T): T & Leaf & Salted {
    const salted = { ...edit, ...(edit.field === ERASED ? NOTHING_PERSONAL : salt(personalOfEdit(edit))) };
    return { ...salted, ...this.leafOfEdit(salted) };
  }

  leafOfLog(log: LogContent, canonical = canonicalLog(log)): Leaf {
    return this.leaf(log, canonical);
  }

  leafOfEdit(edit: EditContent): Leaf {
    return this.leaf(edit, canonicalEdit(edit));
  }

  /** Whether the stored leaf equals the one computed from the content; with `acceptsAnyMac`, the MAC is not compared. */
  isSame(computed: Leaf, stored: Leaf & Owner, acceptsAnyMac = false): boolean {
    if (computed.leafHash !== stored.leafHash) return false;
    return acceptsAnyMac || isSameText(stored.mac, computed.mac) || this.isAuthentic(stored);
  }

  /** Whether a known secret made the leaf, for this row. Without a secret nobody can make a leaf, or copy a leaf to another row. */
  isAuthentic(row: Leaf & Owner): boolean {
    return this.madeWith(row) !== undefined;
  }

  /** Returns the id of the secret that a leaf was made with; undefined for one that this node does not have. */
  madeWith(row: Leaf & Owner): string | undefined {
    return this.keys.find(({ key }) => isSameText(row.mac, macOf(key, row, row.leafHash)))?.id;
  }

  private leaf(owner: Owner, content: string): Leaf {
    const leafHash = leafHashOf(content);
    return { leafHash, mac: macOf(this.keys[0]!.key, owner, leafHash) };
  }
}

function salt(personal: string): Salted & { personalHash: string } {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  return { salt, personalHash: personalHashOf(salt, personal) };
}

/** Whether the hash in a leaf is that of the personal members. */
export const isOfHash = (personal: string, { salt, personalHash }: Partial<Salted>): boolean =>
  typeof salt === 'string' && personalHashOf(salt, personal) === personalHash;

/** Covers the ids, so that the sealer, which does not read the content, refuses a copy. */
function macOf(key: KeyObject, { id, tenantId }: Owner, leafHash: string): string {
  return createHmac('sha256', key).update(leafHash, 'base64url').update(`${id}\n${tenantId}`).digest('base64url');
}
