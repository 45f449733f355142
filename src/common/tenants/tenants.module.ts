import { Global, Module } from '@nestjs/common';
import { TenantLimitsReader } from './tenant-limits.js';
import { TenantQuotas } from './tenant-quotas.js';

/** How much each tenant may have. */
@Global()
@Module({ providers: [TenantLimitsReader, TenantQuotas], exports: [TenantQuotas] })
export class TenantsModule {}
