import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** 192 bits in base64url. */
const TAG_LENGTH = 32;

/** HMAC-SHA-256 under a key derived for one purpose (HKDF, RFC 5869), so that no signature serves for another. */
export class Signer {
  private readonly key: KeyObject;

  constructor(key: Buffer) {
    this.key = createSecretKey(key); // from bytes it would be made anew for each signature
  }

  /** Returns the first 192 bits of the MAC in base64url. */
  sign(...parts: string[]): string {
    // The lengths keep ('a', 'bc') and ('ab', 'c') apart.
    const text = parts.map((part) => `${part.length}:${part}`).join('');
    return createHmac('sha256', this.key).update(text).digest('base64url').slice(0, TAG_LENGTH);
  }

  /** Accepts exactly the text that `sign` returned, although base64url can spell the same bytes in several ways. */
  verify(signature: string, ...parts: string[]): boolean {
    const actual = Buffer.from(signature);
    const expected = Buffer.from(this.sign(...parts));
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}

/** Hands out one signer per purpose, all from SECRET_KEY. */
export class Signing {
  constructor(private readonly secret: Buffer) {}

  for(purpose: string): Signer {
    return new Signer(this.key(purpose));
  }

  /** Returns the derived 32 bytes, for published constructions that cannot have the form of `Signer`. */
  key(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, '', `platform-services/${purpose}`, 32));
  }
}
