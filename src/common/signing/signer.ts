import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const TAG_BYTES = 24;

/** HMAC-SHA-256 under a key derived for one purpose (HKDF, RFC 5869), so that no signature serves for another. */
export class Signer {
  constructor(private readonly key: Buffer) {}

  /** 192 bits of the MAC, base64url. */
  sign(...parts: string[]): string {
    const mac = createHmac('sha256', this.key);
    // The lengths keep ('a', 'bc') and ('ab', 'c') apart.
    for (const part of parts) mac.update(`${part.length}:${part}`);
    return mac.digest().subarray(0, TAG_BYTES).toString('base64url');
  }

  /** Takes the text that `sign` made and no other, though base64url could spell the same bytes in more ways. */
  verify(signature: string, ...parts: string[]): boolean {
    const given = Buffer.from(signature);
    const right = Buffer.from(this.sign(...parts));
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/** Hands out one signer per purpose, all from SECRET_KEY. */
export class Signing {
  constructor(private readonly secret: Buffer) {}

  for(purpose: string): Signer {
    return new Signer(this.key(purpose));
  }

  /** The 32 bytes themselves, for what is published with its construction and cannot be in the form of `Signer`. */
  key(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, '', `platform-services/${purpose}`, 32));
  }
}
