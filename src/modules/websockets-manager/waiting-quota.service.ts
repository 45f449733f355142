import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError } from '../../common/errors/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../common/tenants/tenant-quotas.js';
import { waitingCounts } from './usage.queries.js';

/** How many messages of a tenant may wait for their recipients. */
@Injectable()
export class WaitingQuotaService {
  private readonly waiting: TenantQuota;

  constructor(prisma: PrismaService, config: Config, quotas: TenantQuotas) {
    this.waiting = quotas.of({
      limit: 'waitingMessages',
      count: async (tenantId) => (await waitingCounts(prisma, config.isPostgres, tenantId)).get(tenantId) ?? 0,
      refusal: (limit, used, amount) =>
        new AppError(
          'RATE_LIMITED',
          `At most ${limit} messages of a tenant may wait, ${used} do, and this adds ${amount}; ` +
            'try again when some were delivered or have expired, cancel some, or push without expiresAt',
        ),
    });
  }

  /** Stores messages; those that cannot wait are never refused. @throws RATE_LIMITED, and then nothing is stored */
  within<T>(tenantId: string, messages: { count: number; expiresAt: Date | null }, store: () => Promise<T>): Promise<T> {
    return messages.expiresAt === null ? store() : this.waiting.within(tenantId, messages.count, store);
  }
}
