import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type DerivedKey, isSameText, Signing } from '../../../common/signing/signer.js';
import { type EditContent, ERASED, type LogContent, type Salted } from './log-row.js';
import { canonicalEdit, canonicalLog, personalOfEdit, personalOfLog } from './canonical.js';
import { leafHashOf, personalHashOf } from './merkle.js';

/** Merkle leaf of a record or an edit, computed once on insert. */
export interface Leaf {
  leafHash: string;
  mac: string;
}

interface Owner {
  id: string;
  tenantId: string;
}

const SALT_BYTES = 16;
/** Value for the edit of an erasure, which has no personal members. */
const NOTHING_PERSONAL: Salted = { salt: null, personalHash: null };

/** Creates and checks the leaves of the Merkle trees; see docs/document-log-seals.md. */
@Injectable()
export class LeafService {
  /** MAC keys. The first signs new leaves. */
  private readonly keys: DerivedKey[];

  constructor(signing: Signing) {
    this.keys = signing.macKeys('log-mac');
  }

  /** Adds the leaf to a new record. Also returns the canonical JSON of the covered members. */
  newLog<T extends LogContent>(log: T): { row: T & Leaf & Salted; canonical: string } {
    const personal = personalOfLog(log);
    const salted = Object.assign(log, salt(personal));
    const content = canonicalLog(salted);
    return {
      row: Object.assign(salted, this.leafOfLog(salted, content)),
      canonical: `${content.slice(0, -1)},${personal.slice(1)}`,
    };
  }

  /** Adds the leaf to a new edit. */
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

  /** Compares the stored leaf with the computed one, except for the MAC if `acceptsAnyMac`. */
  isSame(computed: Leaf, stored: Leaf & Owner, acceptsAnyMac = false): boolean {
    if (computed.leafHash !== stored.leafHash) return false;
    return acceptsAnyMac || isSameText(stored.mac, computed.mac) || this.isAuthentic(stored);
  }

  /** Returns true if the MAC of the leaf is valid for this row. Without a secret, nobody can forge a leaf or copy it to another row. */
  isAuthentic(row: Leaf & Owner): boolean {
    return this.secretIdOf(row) !== undefined;
  }

  /** Returns the id of the secret that signed a leaf; undefined if it is unknown here. */
  secretIdOf(row: Leaf & Owner): string | undefined {
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

/** Compares the hash in a leaf with the personal members. */
export const isOfHash = (personal: string, { salt, personalHash }: Partial<Salted>): boolean =>
  typeof salt === 'string' && personalHashOf(salt, personal) === personalHash;

/** Computes the MAC over the ids and the hash. The ids stop the sealer, which reads no content, from accepting a copied row. */
function macOf(key: KeyObject, { id, tenantId }: Owner, leafHash: string): string {
  return createHmac('sha256', key).update(leafHash, 'base64url').update(`${id}\n${tenantId}`).digest('base64url');
}
