import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { type RetentionStep, TenantData } from '../../../common/tenants/tenant-data.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { OWN_TENANT } from '../message-storage/email-row.js';
import { KEEP_FINISHED_MS } from '../models/limits.js';

const EVERY_MS = 10 * 60_000;
const ROWS_PER_STATEMENT = 500;
const DAY_MS = 24 * 3_600_000;

const FINISHED = ['SENT', 'FAILED'] as const;

/**
 * Removes mails past the retention period of their tenant, verification mails 30 days after completion, old daily counts, and expired
 * suppressions. Works in small batches, to delay other statements little.
 */
@Injectable()
export class EmailExpiry {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
    data: TenantData,
  ) {
    data.addRetained({ kind: 'mails', remove: (tenantId, olderThan, { limit }) => this.remove(tenantId, olderThan, limit) });
    jobs.add({ name: 'email-expiry', everyMs: EVERY_MS, run: (signal) => this.expire(signal) });
  }

  async expire(signal?: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - KEEP_FINISHED_MS);
    while (!signal?.aborted && (await this.remove(OWN_TENANT, before, ROWS_PER_STATEMENT)).more);
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    await this.database.emailValidationCount.deleteMany({ where: { day: { lt: yesterday } } });
    const { emailValidationTotal } = this.database.acrossTenants('the job removes old counts of every tenant');
    await emailValidationTotal.deleteMany({ where: { day: { lt: yesterday } } });
    while (!signal?.aborted && (await this.removeEnded()) === ROWS_PER_STATEMENT);
  }

  /** Removes expired suppressions. Returns their number. */
  private async removeEnded(): Promise<number> {
    const { emailSuppression } = this.database.acrossTenants('the job removes expired suppressions of every tenant');
    const ended = { where: { expiresAt: { lte: new Date() } }, select: { id: true }, take: ROWS_PER_STATEMENT };
    const ids = (await emailSuppression.findMany(ended)).map(({ id }) => id);
    if (ids.length > 0) await emailSuppression.deleteMany({ where: { id: { in: ids } } });
    return ids.length;
  }

  /** Removes messages finished before a time, with their recipients. */
  private async remove(tenantId: string, before: Date, limit: number): Promise<RetentionStep> {
    const old = { id: { lt: lowestIdAt(before.getTime()) }, dueAt: { lt: new Date(before.getTime() + KEEP_FINISHED_MS) } };
    const { email } = this.database.of(tenantId);
    const step: RetentionStep = { removed: 0, more: false };
    for (const status of FINISHED) {
      const where = { status, ...old };
      const rows = await email.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: limit });
      if (rows.length > 0) await email.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
      step.removed += rows.length;
      step.more ||= rows.length === limit;
    }
    return step;
  }
}
