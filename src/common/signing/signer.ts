import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Length of a tag: 192 bits in base64url. */
const TAG_LENGTH = 32;
/** Length of a secret's id: 24 bits distinguish a few secrets, and are too few to reveal anything about one. */
const ID_BYTES = 3;
const ID_LENGTH = 4;

/** Key derived from one secret for one purpose; `id` identifies the secret. */
export interface DerivedKey<Key = KeyObject> {
  id: string;
  key: Key;
}

/**
 * HMAC-SHA-256 with a key derived for one purpose (HKDF, RFC 5869), so that no signature is valid for another. A node with several
 * secrets prepends the id of the signing one; a node with a single secret does not.
 */
export class Signer {
  /** First key signs; the others are accepted. */
  constructor(private readonly keys: DerivedKey[]) {}

  /** Returns the first 192 bits of the MAC in base64url, after the id of the secret if there are several. */
  sign(...parts: string[]): string {
    const { id, key } = this.keys[0]!;
    return this.keys.length === 1 ? tag(key, parts) : labelled(id, key, parts);
  }

  /** Accepts exactly the texts that `sign` returns on any node, although base64url can encode the same bytes in several ways. */
  verify(signature: string, ...parts: string[]): boolean {
    return this.signedWith(signature, ...parts) !== undefined;
  }

  /** Returns the id of the secret that signed a text; undefined for a foreign signature. */
  signedWith(signature: string, ...parts: string[]): string | undefined {
    const isPlain = signature.length === TAG_LENGTH;
    return this.keys.find(({ id, key }) => {
      if (isPlain) return isSameText(signature, tag(key, parts));
      return signature.startsWith(id) && isSameText(signature, labelled(id, key, parts));
    })?.id;
  }
}

/** Computes a MAC that also covers the id: otherwise it would equal the form without id. */
const labelled = (id: string, key: KeyObject, parts: string[]): string => id + tag(key, [id, ...parts]);

function tag(key: KeyObject, parts: string[]): string {
  // The lengths distinguish ('a', 'bc') from ('ab', 'c').
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, TAG_LENGTH);
}

/** Compares a text from a caller with the expected one in constant time. */
export function isSameText(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Provides one signer per purpose, from SECRET_KEY and the other accepted secrets. */
export class Signing {
  private readonly secrets: DerivedKey<Buffer>[];

  constructor(current: Buffer, ...others: Buffer[]) {
    this.secrets = [current, ...others].map((secret) => ({ id: idOf(secret), key: secret }));
  }

  /** Id of SECRET_KEY. */
  get currentId(): string {
    return this.secrets[0]!.id;
  }

  /** Ids of all secrets, that of SECRET_KEY first. */
  get ids(): string[] {
    return this.secrets.map(({ id }) => id);
  }

  for(purpose: string): Signer {
    return new Signer(this.macKeys(purpose));
  }

  /** Returns the derived keys as KeyObjects: from bytes, they would be created again for each MAC. */
  macKeys(purpose: string): DerivedKey[] {
    return this.keys(purpose).map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  }

  /** Returns the derived keys of 32 bytes, for published constructions that cannot have the format of `Signer`. */
  keys(purpose: string): DerivedKey<Buffer>[] {
    return this.secrets.map(({ id, key }) => ({ id, key: derived(key, purpose, 32) }));
  }
}

function idOf(secret: Buffer): string {
  return derived(secret, 'secret-id', ID_BYTES).toString('base64url').slice(0, ID_LENGTH);
}

function derived(secret: Buffer, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `platform-services/${purpose}`, length));
}
