import { Injectable } from '@nestjs/common';
import { Signing } from '../../../common/signing/signer.js';
import { SealSigner } from './seal-signer.js';

/** Seal keys derived from every configured secret. */
@Injectable()
export class SealKeys {
  /** All keys, starting with that of SECRET_KEY. */
  readonly all: SealSigner[];
  /** Key of SECRET_KEY. */
  readonly current: SealSigner;

  constructor(signing: Signing) {
    this.all = signing.keys('log-seal').map(({ id, key }) => new SealSigner(key, id));
    this.current = this.all[0]!;
  }

  of(publicKey: string): SealSigner | undefined {
    return this.all.find((signer) => signer.publicKey === publicKey);
  }
}
