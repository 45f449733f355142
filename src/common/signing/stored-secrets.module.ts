import { Global, Module } from '@nestjs/common';
import { StoredSecrets } from './stored-secrets.js';

/** Provides secrets that tenants store, and that the server must be able to read. */
@Global()
@Module({ providers: [StoredSecrets], exports: [StoredSecrets] })
export class StoredSecretsModule {}
