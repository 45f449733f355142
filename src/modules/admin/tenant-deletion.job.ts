import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { Logger } from '../../common/logging/logger.js';
import { type Counter, Metrics } from '../../common/metrics/metrics.js';
import { TenantData } from '../../common/tenants/tenant-data.js';
import { type Tenant, TenantsService } from '../../common/tenants/tenants.service.js';
import { type Sql, sql } from '../../common/database/sql/sql.js';
import { BackgroundJobs } from '../../common/jobs/background-jobs.js';
import { AuditService, SERVER } from './audit.service.js';

const EVERY_MS = 2_000;
const isDue = (): Sql => sql`EXISTS (SELECT 1 FROM "Tenant" WHERE "suspendedAt" IS NOT NULL AND "deletingAt" IS NOT NULL)`;
/** Tenants per run. */
const MAX_TENANTS = 100;
/** Time per tenant in one run. */
const TENANT_MS = 5_000;

/**
 * Removes all data of deleted tenants, then the tenants, in bounded, repeatable steps, so another node continues after a crash. Removes a
 * tenant after two passes without data, separated by a quiet time: requests running at its deletion have then ended.
 */
@Injectable()
export class TenantDeletion {
  /** End of the first pass without data, by tenant. */
  private readonly emptySince = new Map<string, number>();
  private readonly deletions: Counter<'outcome'>;

  constructor(
    private readonly tenants: TenantsService,
    private readonly data: TenantData,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
    metrics: Metrics,
  ) {
    this.deletions = metrics.counter({
      name: 'tenant_deletions_total',
      help: 'Deletions of tenants, by outcome: ok (nothing is left), failed (a step, which is retried)',
      labelNames: ['outcome'],
    });
    for (const outcome of ['ok', 'failed']) this.deletions.inc({ outcome }, 0);
    data.addRows('keys', 'ApiKey', 'id');
    jobs.add({ name: 'tenant-deletion', everyMs: EVERY_MS, due: isDue, run: (signal) => this.run(signal) });
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const tenant of await this.tenants.deleting(MAX_TENANTS)) {
      if (signal.aborted) return;
      await this.goOn(tenant, signal).catch((error: unknown) => {
        this.deletions.inc({ outcome: 'failed' });
        this.logger.error({ err: error, tenantId: tenant.id }, 'the deletion of a tenant failed; it will be retried');
      });
    }
  }

  private async goOn(tenant: Tenant, signal: AbortSignal): Promise<void> {
    const { id } = tenant;
    const since = this.emptySince.get(id);
    if (since !== undefined && performance.now() - since < this.config.tenantDeletionQuietMs) return;
    this.emptySince.delete(id);
    if (!(await this.isEmpty(id, signal))) return;
    if (since === undefined) {
      this.emptySince.set(id, performance.now());
      return;
    }
    await this.tenants.endDeletion(tenant, (transaction, change) =>
      this.audit.tenant(transaction, SERVER, 'endTenantDeletion', change),
    );
    this.deletions.inc({ outcome: 'ok' });
    this.logger.info({ tenantId: id }, 'a tenant was deleted with all its data');
  }

  /** Removes data of the tenant for up to TENANT_MS. Returns true if there was none. */
  private async isEmpty(tenantId: string, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + TENANT_MS;
    let removed = 0;
    for (const kind of this.data.kinds) {
      for (let step = -1; step !== 0; removed += step) {
        if (signal.aborted || performance.now() > until) return false;
        step = await kind.remove(tenantId);
      }
    }
    return removed === 0;
  }
}
