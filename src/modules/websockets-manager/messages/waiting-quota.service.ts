import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../../common/tenants/tenant-quotas.js';
import { waitingCounts } from './usage.queries.js';

/** Limits how many messages of a tenant wait for their recipients. */
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
          `At most ${limit} messages of a tenant may wait, ${used} do, and this adds ${amount}; ` +
            'try again when some were delivered or have expired, cancel some, or push without expiresAt',
        ),
    });
  }

  /** Stores messages if the limit allows. Messages that cannot wait are not counted. @throws RATE_LIMITED */
  within<T>(tenantId: string, messages: { count: number; expiresAt: Date | null }, store: () => Promise<T>): Promise<T> {
    return messages.expiresAt === null ? store() : this.waiting.within(tenantId, messages.count, store);
  }
}
