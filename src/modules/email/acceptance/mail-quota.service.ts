import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../../common/tenants/tenant-quotas.js';
import { lowestIdAt } from '../../../common/base/ids.js';

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

  /** Checks that the limit allows more mails today. @throws RATE_LIMITED with the time to retry from */
  check(tenantId: string, amount: number): Promise<void> {
    return this.mails.within(tenantId, amount, () => Promise.resolve());
  }

  /** Runs `accept` with the number of mails that the limit allows, and with the refusal of the others. */
  upTo<R>(tenantId: string, amount: number, accept: (allowed: number, refusal?: Error) => Promise<R>): Promise<R> {
    return this.mails.upTo(tenantId, amount, accept);
  }
}

const DAY_MS = 24 * 3_600_000;

/** Returns the start of the current UTC day in milliseconds since 1970. */
const startOfDay = (nowMs = Date.now()): number => nowMs - (nowMs % DAY_MS);

/** Counts the mails accepted since midnight UTC per tenant, for the given tenants or all. */
export async function mailsToday(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const where = { tenantId: { in: tenantIds }, id: { gte: lowestIdAt(startOfDay()) } };
  const { email } = database.acrossTenants('one statement reads the usage of several tenants');
  const counts = await email.groupBy({ by: ['tenantId'], where, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
