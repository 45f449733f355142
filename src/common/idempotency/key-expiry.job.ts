import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { oldestKept } from './idempotency-key.js';
import { BackgroundJobs } from '../jobs/background-jobs.js';

const EVERY_MS = 10 * 60_000;

/** Removes expired idempotency keys of operations. */
@Injectable()
export class KeyExpiry {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.add({ name: 'key-expiry', everyMs: EVERY_MS, run: () => this.deleteExpired() });
  }

  private async deleteExpired(): Promise<void> {
    const { operationKey } = this.database.acrossTenants('old keys of every tenant are removed');
    await operationKey.deleteMany({ where: { createdAt: { lte: oldestKept() } } });
  }
}
