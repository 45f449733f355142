import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { Workers } from '../../../common/workers/workers.js';

const EVERY_MS = 10 * 60_000;
const BATCH = 500;
const DAY_MS = 24 * 3_600_000;

/** Removes messages 30 days after they are finished, and old daily counts. Works in small batches, so that nobody waits for it. */
@Injectable()
export class EmailCleaner {
  constructor(
    private readonly database: Database,
    workers: Workers,
  ) {
    workers.add({ name: 'email-cleaner', everyMs: EVERY_MS, run: (signal) => this.clean(signal) });
  }

  /** all tenants: the cleaner works for every tenant */
  async clean(signal?: AbortSignal): Promise<void> {
    for (const status of ['SENT', 'FAILED'] as const) {
      while (!signal?.aborted && (await this.removeFinished(status)) === BATCH);
    }
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    await this.database.emailValidationCount.deleteMany({ where: { day: { lt: yesterday } } });
    await this.database.emailValidationTotal.deleteMany({ where: { day: { lt: yesterday } } });
  }

  /** Returns how many messages were removed. Their recipients go with them. all tenants: the cleaner works for every tenant */
  private async removeFinished(status: 'SENT' | 'FAILED'): Promise<number> {
    const where = { status, dueAt: { lte: new Date() } };
    const rows = await this.database.email.findMany({ where, select: { id: true }, orderBy: { dueAt: 'asc' }, take: BATCH });
    if (rows.length > 0) await this.database.email.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
    return rows.length;
  }
}
