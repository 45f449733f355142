import { Global, Module } from '@nestjs/common';
import { TenantUsage } from '../common/tenants/tenant-usage.js';
import { UsageOfServices } from './usage-of-services.js';

/** Provides the usage of tenants. */
@Global()
@Module({ providers: [{ provide: TenantUsage, useClass: UsageOfServices }], exports: [TenantUsage] })
export class TenantUsageModule {}
