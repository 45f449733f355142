import { Global, Module } from '@nestjs/common';
import { TenantData } from '../tenants/tenant-data.js';
import { KeyExpiry } from './key-expiry.job.js';
import { OperationKeysService } from './operation-keys.service.js';

/** Provides the idempotency keys of operations, with their results. */
@Global()
@Module({ providers: [OperationKeysService, KeyExpiry], exports: [OperationKeysService] })
export class IdempotencyModule {
  constructor(data: TenantData) {
    data.addRows('idempotency keys', 'OperationKey', 'tenantId', 'operation', 'key');
  }
}
