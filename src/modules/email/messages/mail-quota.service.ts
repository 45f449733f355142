import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/errors/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../../common/tenants/tenant-quotas.js';
import { DAY_MS, mailsToday, startOfDay } from './usage.queries.js';

/** Limits the mails that a tenant sends in a day. */
@Injectable()
export class MailQuotaService {
  private readonly mails: TenantQuota;

  constructor(database: Database, quotas: TenantQuotas) {
    this.mails = quotas.of({
      limit: 'mailsPerDay',
      count: async (tenantId) => (await mailsToday(database, [tenantId])).get(tenantId) ?? 0,
      refusal: (limit) => {
        const until = new Date(startOfDay() + DAY_MS).toISOString();
        return new AppError('RATE_LIMITED', `The tenant may send at most ${limit} mails a day; try again from ${until} on`);
      },
    });
  }

  /**
   * Calls `accept` if the limit allows one more mail.
   * @throws RATE_LIMITED with the time from which to try again, before anything is stored
   */
  within<T>(tenantId: string, accept: () => Promise<T>): Promise<T> {
    return this.mails.within(tenantId, 1, accept);
  }
}
