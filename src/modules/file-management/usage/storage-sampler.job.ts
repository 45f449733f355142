import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../../../common/database/database.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { hourOf, takeSamples, thinSamples } from './storage-samples.queries.js';

/**
 * How often the job checks for a new hour: often enough that samples are taken at its start, and that another node soon takes
 * over.
 */
const EVERY_MS = 60_000;

/** Takes samples of the storage of all tenants once an hour, and thins old samples. */
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

  /** Writes the samples of an hour. Samples that exist already are not changed. */
  async sample(now: Date): Promise<void> {
    const { everyTenant } = this;
    await everyTenant.$executeRaw(takeSamples(everyTenant.dialect, now));
  }

  /** Thins all samples that are due, in bounded steps. */
  async thin(now: Date, signal?: AbortSignal): Promise<void> {
    for (let changed = 1; changed > 0 && !signal?.aborted;) {
      changed = 0;
      for (const statement of thinSamples(this.everyTenant.dialect, now))
        changed += await this.everyTenant.$executeRaw(statement);
    }
  }
}
