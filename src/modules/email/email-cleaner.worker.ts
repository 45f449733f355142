import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Workers } from '../../common/workers/workers.js';

const EVERY_MS = 10 * 60_000;
const BATCH = 500;
const DAY_MS = 24 * 3_600_000;

/** Removes what is finished, 30 days later, and yesterday's counts. Small batches, so that nobody waits for it. */
@Injectable()
export class EmailCleaner {
  constructor(
    private readonly prisma: PrismaService,
    workers: Workers,
  ) {
    workers.add({ name: 'email-cleaner', everyMs: EVERY_MS, run: (signal) => this.clean(signal) });
  }

  async clean(signal?: AbortSignal): Promise<void> {
    for (const status of ['SENT', 'FAILED'] as const) {
      while (!signal?.aborted && (await this.removeFinished(status)) === BATCH);
    }
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    await this.prisma.emailValidationCount.deleteMany({ where: { day: { lt: yesterday } } });
    await this.prisma.emailValidationTotal.deleteMany({ where: { day: { lt: yesterday } } });
  }

  /** Recipients go with their message. */
  private async removeFinished(status: 'SENT' | 'FAILED'): Promise<number> {
    const where = { status, dueAt: { lte: new Date() } };
    const rows = await this.prisma.email.findMany({ where, select: { id: true }, orderBy: { dueAt: 'asc' }, take: BATCH });
    if (rows.length > 0) await this.prisma.email.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
    return rows.length;
  }
}
