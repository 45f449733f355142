import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type AllTenants, Database } from '../database/database.js';
import { BackgroundJobs } from '../jobs/background-jobs.js';
import { Logger } from '../logging/logger.js';
import { addCounts, type Counted, removeCounts } from './request-counts.queries.js';
import { TenantData } from './tenant-data.js';

/** Code of a request without an error. */
export const OK = 'OK';
const HOUR_MS = 3_600_000;
const FLUSH_MS = 60_000;
/** Retention of counts. */
export const RETAINED_HOURS = 30 * 24;
/** Maximum number of rows in one statement. Further counts of a minute are dropped. */
const MAX_ROWS = 5_000;
const STOP_PATIENCE_MS = 1_000;

/**
 * Counts the requests of tenants by hour. Counts are held in memory and added to the database once a minute, so a crash loses up to a
 * minute of them.
 */
@Injectable()
export class RequestCounts implements OnModuleDestroy {
  private counts = new Map<string, Counted>();
  private timer: NodeJS.Timeout | undefined;
  private readonly everyTenant: AllTenants;

  constructor(
    database: Database,
    data: TenantData,
    jobs: BackgroundJobs,
    private readonly logger: Logger,
  ) {
    this.everyTenant = database.acrossTenants('counts of all tenants are added in one statement, and removed by their age');
    data.addRows('counts of requests', 'RequestCount', 'tenantId', 'hour', 'service', 'keyId', 'code');
    jobs.add({ name: 'request-counts', everyMs: HOUR_MS, run: (signal) => this.remove(signal) });
  }

  /** Counts an answered request with a key. Requests to no single service, such as `GET /key`, are left out. */
  note({ caller, outcome, routeOptions: { config } }: FastifyRequest, status: number): void {
    const { access } = config;
    const [service, code] = outcome ?? [
      typeof access === 'object' ? access.service : undefined,
      status < 400 ? OK : String(status),
    ];
    if (service === undefined) return;
    const { tenantId, keyId } = caller!;
    const now = Date.now();
    const hour = now - (now % HOUR_MS);
    const id = `${keyId} ${service} ${code} ${hour}`;
    const known = this.counts.get(id);
    if (known) known.requests += 1;
    else if (this.counts.size < MAX_ROWS) this.counts.set(id, { tenantId, hour, service, keyId, code, requests: 1 });
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Adds the counts to the database. After a failure they are dropped, since they may have been stored. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const counts = [...this.counts.values()];
    this.counts = new Map();
    if (counts.length === 0) return;
    try {
      await addCounts(this.everyTenant, counts);
    } catch (error) {
      this.logger.warn({ err: error, rows: counts.length }, 'counts of requests could not be stored');
    }
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.race([this.flush(), setTimeoutAsync(STOP_PATIENCE_MS, undefined, { ref: false })]);
  }

  private async remove(signal: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - RETAINED_HOURS * HOUR_MS);
    while (!signal.aborted && (await removeCounts(this.everyTenant, before)));
  }
}
