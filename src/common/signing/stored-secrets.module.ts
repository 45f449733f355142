import { Global, Module } from '@nestjs/common';
import { StoredSecrets } from './stored-secrets.js';

/** Secrets that tenants store here, and that the server must be able to read again. */
@Global()
@Module({ providers: [StoredSecrets], exports: [StoredSecrets] })
export class StoredSecretsModule {}
