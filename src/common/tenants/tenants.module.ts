// Room: Limits, usage, parents, suspension and retention of tenants.
import { Global, Module } from '@nestjs/common';
import { ParentTenants } from './parent-tenants.js';
import { RequestCounts } from './request-counts.js';
import { RetentionJob } from './retention.job.js';
import { SuspendedTenants } from './suspended-tenants.js';
import { TenantData } from './tenant-data.js';
import { TenantLimitsReader } from './tenant-limits-reader.js';
import { TenantQuotas } from './tenant-quotas.js';

/** Manages tenants: their limits, parents, suspension and retention, and the registry of their data. */
@Global()
@Module({
  providers: [SuspendedTenants, ParentTenants, TenantData, TenantLimitsReader, TenantQuotas, RetentionJob, RequestCounts],
  exports: [SuspendedTenants, ParentTenants, TenantData, TenantLimitsReader, TenantQuotas, RequestCounts],
})
export class TenantsModule {}
