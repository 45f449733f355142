import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** PKCS #8 header of a 32-byte Ed25519 key (RFC 8410). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Verifies signatures of blocks, checkpoints and key changes. */
export interface SealVerifier {
  verify(message: string, signature: string): boolean;
}

/** Signs blocks and checkpoints with an Ed25519 key derived from a secret. */
export class SealSigner implements SealVerifier {
  /** 32 bytes, base64url. */
  readonly publicKey: string;
  private readonly privateKey: KeyObject;
  private readonly verifyKey: KeyObject;

  constructor(
    seed: Buffer,
    /** Id of the secret. */
    readonly secretId: string,
  ) {
    const der = Buffer.concat([PKCS8_HEADER, seed]);
    this.privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.verifyKey = createPublicKey(this.privateKey);
    this.publicKey = this.verifyKey.export({ format: 'jwk' }).x!;
  }

  sign(message: string): string {
    return sign(null, Buffer.from(message), this.privateKey).toString('base64url');
  }

  verify(message: string, signature: string): boolean {
    return isSigned(this.verifyKey, message, signature);
  }
}

/** Returns the verifier of a public key. For an invalid key, it rejects every signature. */
export function verifierOf(publicKey: string): SealVerifier {
  const key = readKey(publicKey);
  return { verify: (message, signature) => key !== undefined && isSigned(key, message, signature) };
}

function isSigned(key: KeyObject, message: string, signature: string): boolean {
  return verify(null, Buffer.from(message), key, Buffer.from(signature, 'base64url'));
}

function readKey(publicKey: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
