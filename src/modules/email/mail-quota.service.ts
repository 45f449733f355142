import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError } from '../../common/errors/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../common/tenants/tenant-quotas.js';
import { DAY_MS, mailsToday, startOfDay } from './usage.queries.js';

/** How many mails of a tenant are accepted in a day. */
@Injectable()
export class MailQuotaService {
  private readonly mails: TenantQuota;

  constructor(prisma: PrismaService, quotas: TenantQuotas) {
    this.mails = quotas.of({
      limit: 'mailsPerDay',
      count: async (tenantId) => (await mailsToday(prisma, tenantId)).get(tenantId) ?? 0,
      refusal: (limit) => {
        const until = new Date(startOfDay() + DAY_MS).toISOString();
        return new AppError('RATE_LIMITED', `The tenant may send at most ${limit} mails a day; try again from ${until} on`);
      },
    });
  }

  /** Accepts a mail. @throws RATE_LIMITED with when to try again, and then nothing is stored */
  within<T>(tenantId: string, accept: () => Promise<T>): Promise<T> {
    return this.mails.within(tenantId, 1, accept);
  }
}
