import { Injectable } from '@nestjs/common';
import { Signing } from '../../../common/signing/signer.js';
import { SealSigner } from './seal-signer.js';

/** The keys of seals of all secrets that this node knows. */
@Injectable()
export class SealKeys {
  /** The key of SECRET_KEY comes first. */
  readonly all: SealSigner[];
  /** Made from SECRET_KEY. */
  readonly current: SealSigner;

  constructor(signing: Signing) {
    this.all = signing.keys('log-seal').map(({ id, key }) => new SealSigner(key, id));
    this.current = this.all[0]!;
  }

  of(publicKey: string): SealSigner | undefined {
    return this.all.find((signer) => signer.publicKey === publicKey);
  }
}
