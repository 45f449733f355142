import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const TAG_BYTES = 24;

/** HMAC-SHA-256 under a key derived for one purpose (HKDF, RFC 5869), so that no signature serves for another. */
export class Signer {
  constructor(private readonly key: Buffer) {}

  /** 192 bits of the MAC, base64url. */
  sign(...parts: string[]): string {
    return this.mac(parts).toString('base64url');
  }

  verify(signature: string, ...parts: string[]): boolean {
    const given = Buffer.from(signature, 'base64url');
    return given.length === TAG_BYTES && timingSafeEqual(given, this.mac(parts));
  }

  private mac(parts: string[]): Buffer {
    const mac = createHmac('sha256', this.key);
    // The lengths keep ('a', 'bc') and ('ab', 'c') apart.
    for (const part of parts) mac.update(`${part.length}:${part}`);
    return mac.digest().subarray(0, TAG_BYTES);
  }
}

/** Hands out one signer per purpose, all from SECRET_KEY. */
export class Signing {
  constructor(private readonly secret: Buffer) {}

  for(purpose: string): Signer {
    return new Signer(Buffer.from(hkdfSync('sha256', this.secret, '', `platform-services/${purpose}`, 32)));
  }
}
