import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../../common/tenants/tenant-quotas.js';
import { DAY_MS, mailsToday, startOfDay } from './usage.queries.js';

/** Limits the mails of a tenant per day. */
@Injectable()
export class MailQuotaService {
  private readonly mails: TenantQuota;

  constructor(database: Database, quotas: TenantQuotas) {
    this.mails = quotas.of({
      limit: 'mailsPerDay',
      count: async (tenantId) => (await mailsToday(database, [tenantId])).get(tenantId) ?? 0,
      refusal: (limit) => {
        const until = new Date(startOfDay() + DAY_MS).toISOString();
        return new AppError(
          'RATE_LIMITED',
          `The tenant has reached its limit of ${limit} emails per day; retry from ${until} on`,
        );
      },
    });
  }

  /**
   * Accepts the first mails up to the limit, and returns a result for each. Rejects the rest with RATE_LIMITED and the time to retry from.
   */
  within<M, R>(tenantId: string, mails: M[], accept: (allowed: M[]) => Promise<R[]>): Promise<(R | AppError)[]> {
    return this.mails.upTo(tenantId, mails.length, async (allowed, refusal) => {
      const accepted = allowed > 0 ? await accept(mails.slice(0, allowed)) : [];
      return mails.map((_, index) => (index < allowed ? accepted[index]! : (refusal as AppError)));
    });
  }
}
