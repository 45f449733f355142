import { Injectable } from '@nestjs/common';
import type { AppError } from '../errors/app-error.js';
import type { TenantLimits } from './limits.js';
import { Quota } from './quota.js';
import { TenantLimitsReader } from './tenant-limits.js';

interface TenantMeasure {
  limit: keyof TenantLimits;
  /** What a tenant has at this moment. */
  count: (tenantId: string) => Promise<number>;
  refusal: (limit: number, used: number, amount: number) => AppError;
}

/** Keeps tenants within one of their limits. */
export interface TenantQuota {
  /** Runs what adds some amount to what the tenant has. @throws the refusal, and then nothing was run */
  within<T>(tenantId: string, amount: number, add: () => Promise<T>): Promise<T>;
}

/** Makes a quota of each limit. For tenants without that limit it costs nothing. */
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
    };
  }
}
