import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Signing } from '../../../common/signing/signer.js';

/** The PKCS #8 header before the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs blocks and checkpoints with the Ed25519 key derived from SECRET_KEY. */
@Injectable()
export class SealSigner {
  /** 32 bytes, base64url. */
  readonly publicKey: string;
  private readonly privateKey: KeyObject;
  private readonly verifyKey: KeyObject;

  constructor(signing: Signing) {
    const der = Buffer.concat([PKCS8_HEADER, signing.key('log-seal')]);
    this.privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.verifyKey = createPublicKey(this.privateKey);
    this.publicKey = this.verifyKey.export({ format: 'jwk' }).x!;
  }

  sign(message: string): string {
    return sign(null, Buffer.from(message), this.privateKey).toString('base64url');
  }

  verify(message: string, signature: string): boolean {
    return verify(null, Buffer.from(message), this.verifyKey, Buffer.from(signature, 'base64url'));
  }
}

/** Whether a signature of a message was made with the private key of a public key. */
export function isSignedBy(publicKey: string, message: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(message), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false; // not a key
  }
}
