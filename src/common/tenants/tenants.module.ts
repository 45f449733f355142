// Room: Limits, usage, suspension and retention of tenants.
import { Global, Module } from '@nestjs/common';
import { RetentionJob } from './retention.job.js';
import { SuspendedTenants } from './suspended-tenants.js';
import { TenantData } from './tenant-data.js';
import { TenantLimitsReader } from './tenant-limits-reader.js';
import { TenantQuotas } from './tenant-quotas.js';

/** Manages tenants: their limits, suspension and retention, and the registry of their data. */
@Global()
@Module({
  providers: [SuspendedTenants, TenantData, TenantLimitsReader, TenantQuotas, RetentionJob],
  exports: [SuspendedTenants, TenantData, TenantLimitsReader, TenantQuotas],
})
export class TenantsModule {}
