// Room: Verifies sending domains by their DNS records, stores their keys, and adds DKIM signatures.
import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../../../common/database/database.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { DomainChecksService } from './domain-checks.service.js';

const EVERY_MS = 60_000;
const AT_ONCE = 10;
/** Failed checks after which a run ends. A failure does not block other checks. */
const MAX_FAILED = 100;

/** Checks due domains, on one node at a time. Repeated checks are harmless. */
@Injectable()
export class DomainChecksJob {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly checks: DomainChecksService,
    database: Database,
    jobs: BackgroundJobs,
  ) {
    this.everyTenant = database.acrossTenants('the job checks the domains of all tenants');
    jobs.add({ name: 'email-domain-checks', everyMs: EVERY_MS, run: (signal) => this.run(signal) });
  }

  private async run(signal: AbortSignal): Promise<void> {
    const began = new Date();
    const failed = new Map<string, unknown>();
    for (let isMore = true; isMore && !signal.aborted;) {
      const due = await this.everyTenant.emailDomain.findMany({
        where: { dueAt: { lte: began }, id: { notIn: [...failed.keys()] } },
        orderBy: [{ dueAt: 'asc' }, { id: 'asc' }],
        take: AT_ONCE,
      });
      await Promise.all(due.map((row) => this.checks.check(row).catch((error: unknown) => failed.set(row.id, error))));
      isMore = due.length === AT_ONCE && failed.size < MAX_FAILED;
    }
    for (const error of failed.values()) throw error;
  }
}
