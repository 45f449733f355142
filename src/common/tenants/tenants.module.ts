import { Global, Module } from '@nestjs/common';
import { TenantLimitsReader } from './tenant-limits-reader.js';
import { TenantQuotas } from './tenant-quotas.js';

/** Keeps tenants within their limits. */
@Global()
@Module({ providers: [TenantLimitsReader, TenantQuotas], exports: [TenantQuotas] })
export class TenantsModule {}
