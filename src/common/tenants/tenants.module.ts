import { Global, Module } from '@nestjs/common';
import { SuspendedTenants } from './suspended-tenants.js';
import { TenantData } from './tenant-data.js';
import { TenantLimitsReader } from './tenant-limits-reader.js';
import { TenantQuotas } from './tenant-quotas.js';

/** Keeps tenants within their limits, and out while they are suspended; knows what they have. */
@Global()
@Module({
  providers: [SuspendedTenants, TenantData, TenantLimitsReader, TenantQuotas],
  exports: [SuspendedTenants, TenantData, TenantLimitsReader, TenantQuotas],
})
export class TenantsModule {}
