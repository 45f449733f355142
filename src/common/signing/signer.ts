import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** 192 bits in base64url. */
const TAG_LENGTH = 32;

/** HMAC-SHA-256 under a key derived for one purpose (HKDF, RFC 5869), so that no signature serves for another. */
export class Signer {
  constructor(private readonly key: KeyObject) {}

  /** Returns the first 192 bits of the MAC in base64url. */
  sign(...parts: string[]): string {
    // The lengths keep ('a', 'bc') and ('ab', 'c') apart.
    const text = parts.map((part) => `${part.length}:${part}`).join('');
    return createHmac('sha256', this.key).update(text).digest('base64url').slice(0, TAG_LENGTH);
  }

  /** Accepts exactly the text that `sign` returned, although base64url can spell the same bytes in several ways. */
  verify(signature: string, ...parts: string[]): boolean {
    return isSameText(signature, this.sign(...parts));
  }
}

/** Compares a text that a caller sent with the one that it should be, in a time that does not tell where they differ. */
export function isSameText(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Hands out one signer per purpose, all from SECRET_KEY. */
export class Signing {
  constructor(private readonly secret: Buffer) {}

  for(purpose: string): Signer {
    return new Signer(this.macKey(purpose));
  }

  /** Returns the derived key in the form that hashing takes; from bytes it would be made anew for each MAC. */
  macKey(purpose: string): KeyObject {
    return createSecretKey(this.key(purpose));
  }

  /** Returns the derived 32 bytes, for published constructions that cannot have the form of `Signer`. */
  key(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, '', `platform-services/${purpose}`, 32));
  }
}
