import { sharedByKey } from '../scheduling/concurrency.js';
import type { TenantLimits } from '../config/tenant-limits.js';

/** Reads the usage of tenants against their limits. Provided by the list of services, which alone knows all of them. */
export abstract class TenantUsage {
  /** Reads the usage of these tenants, or of all. Returns a lookup by tenant id; a tenant without usage has zeros. */
  abstract of(tenantIds?: string[]): Promise<(tenantId: string) => TenantLimits>;

  /** Reads the usage of one tenant. Concurrent callers share the result, since part of it is counted row by row. */
  readonly ofTenant = sharedByKey(async (tenantId) => (await this.of([tenantId]))(tenantId));
}
