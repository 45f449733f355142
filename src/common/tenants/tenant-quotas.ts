import { Injectable } from '@nestjs/common';
import type { TenantLimits } from '../config/tenant-limits.js';
import type { AppError } from '../base/app-error.js';
import { Quota } from './quota.js';
import { TenantLimitsReader } from './tenant-limits-reader.js';

interface TenantMeasure {
  limit: keyof TenantLimits;
  /** Returns the current usage of a tenant. */
  count: (tenantId: string) => Promise<number>;
  refusal: (limit: number, used: number, amount: number) => AppError;
}

/** Enforces one limit of tenants. */
export interface TenantQuota {
  /** Runs `add`, which adds an amount to the tenant's usage. @throws the refusal, without running it */
  within<T>(tenantId: string, amount: number, add: () => Promise<T>): Promise<T>;
  /** Runs `add` with the number of items that the limit allows, and with the refusal of the others. */
  upTo<T>(tenantId: string, amount: number, add: (allowed: number, refusal?: Error) => Promise<T>): Promise<T>;
}

/** Creates a quota from a limit. It costs nothing for tenants without that limit. */
@Injectable()
export class TenantQuotas {
  constructor(private readonly limits: TenantLimitsReader) {}

  of({ limit: name, ...measure }: TenantMeasure): TenantQuota {
    const quota = new Quota(measure);
    return {
      within: async (tenantId, amount, add) => {
        const { [name]: limit } = await this.limits.of(tenantId);
        return quota.within(tenantId, { limit, amount }, add);
      },
      upTo: async (tenantId, amount, add) => {
        const { [name]: limit } = await this.limits.of(tenantId);
        return quota.upTo(tenantId, { limit, amount, least: 1 }, add);
      },
    };
  }
}
