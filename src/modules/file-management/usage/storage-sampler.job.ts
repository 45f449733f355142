import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../../../common/database/database.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { hourOf, takeSamples, thinSamples } from './storage-samples.queries.js';

/** Interval of the check for a new hour. Short, so that samples are taken on time and another node soon takes over. */
const EVERY_MS = 60_000;

/** Samples the storage of all tenants hourly, and thins old samples. */
@Injectable()
export class StorageSampler {
  private sampledHour: number | undefined;
  private readonly everyTenant: AllTenants;

  constructor(database: Database, jobs: BackgroundJobs) {
    this.everyTenant = database.acrossTenants('one statement takes the samples of an hour, or thins old ones');
    jobs.add({ name: 'storage-sampler', everyMs: EVERY_MS, run: (signal) => this.run(signal) });
  }

  private async run(signal: AbortSignal): Promise<void> {
    const now = new Date();
    const hour = hourOf(now.getTime()).getTime();
    if (hour === this.sampledHour) return;
    await this.sample(now);
    await this.thin(now, signal);
    if (!signal.aborted) this.sampledHour = hour;
  }

  /** Writes the samples of an hour. Existing samples are unchanged. */
  async sample(now: Date): Promise<void> {
    const { everyTenant } = this;
    await everyTenant.$executeRaw(takeSamples(everyTenant.dialect, now));
  }

  /** Thins all due samples in bounded steps. */
  async thin(now: Date, signal?: AbortSignal): Promise<void> {
    for (let changed = 1; changed > 0 && !signal?.aborted;) {
      changed = 0;
      for (const statement of thinSamples(this.everyTenant.dialect, now))
        changed += await this.everyTenant.$executeRaw(statement);
    }
  }
}
