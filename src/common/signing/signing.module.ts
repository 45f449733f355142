import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { loadSecretKey } from './secret-key.js';
import { Signing } from './signer.js';

/** Signs URLs, tokens and cursors. Every node with the same SECRET_KEY accepts them. */
@Global()
@Module({
  providers: [
    { provide: Signing, inject: [Config], useFactory: async (config: Config) => new Signing(await loadSecretKey(config)) },
  ],
  exports: [Signing],
})
export class SigningModule {}
