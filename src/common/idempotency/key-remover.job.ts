import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { oldestKept } from './idempotency-key.js';
import { BackgroundJobs } from '../jobs/background-jobs.js';

const REMOVE_EVERY_MS = 10 * 60_000;

/** Removes idempotency keys of operations once they may be used again. */
@Injectable()
export class KeyRemover {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.add({ name: 'key-remover', everyMs: REMOVE_EVERY_MS, run: () => this.removeOld() });
  }

  private async removeOld(): Promise<void> {
    const { operationKey } = this.database.acrossTenants('old keys of every tenant are removed');
    await operationKey.deleteMany({ where: { createdAt: { lte: oldestKept() } } });
  }
}
