// Room: Signatures by keys derived per purpose and secret, and sealed secrets of tenants.
import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { loadSecretKeys } from './secret-key.js';
import { SealedTexts } from './sealed-texts.js';
import { Signing } from './signer.js';

/** Signs URLs, tokens and cursors. Every node with the same secret accepts them. */
@Global()
@Module({
  providers: [
    SealedTexts,
    { provide: Signing, inject: [Config], useFactory: async (config: Config) => new Signing(...(await loadSecretKeys(config))) },
  ],
  exports: [Signing, SealedTexts],
})
export class SigningModule {}
