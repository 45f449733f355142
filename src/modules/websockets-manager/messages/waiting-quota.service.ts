import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../../common/tenants/tenant-quotas.js';
import { waitingCounts } from './usage.queries.js';

/** Limits the number of waiting messages per tenant. */
@Injectable()
export class WaitingQuotaService {
  private readonly waiting: TenantQuota;

  constructor(database: Database, quotas: TenantQuotas) {
    this.waiting = quotas.of({
      limit: 'waitingMessages',
      count: async (tenantId) => (await waitingCounts(database, [tenantId])).get(tenantId) ?? 0,
      refusal: (limit, used, amount) =>
        new AppError(
          'RATE_LIMITED',
          `The tenant has ${used} waiting messages of at most ${limit}, and this push adds ${amount}; ` +
            'retry later, cancel some, or push without expiresAt and fallback',
        ),
    });
  }

  /** Stores messages if the limit permits. `count` excludes messages that cannot wait, and includes fallbacks. @throws RATE_LIMITED */
  within<T>(tenantId: string, count: number, store: () => Promise<T>): Promise<T> {
    return count === 0 ? store() : this.waiting.within(tenantId, count, store);
  }
}
