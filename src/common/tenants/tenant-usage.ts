import { sharedByKey } from '../scheduling/shared-by-key.js';
import type { TenantLimits } from '../config/tenant-limits.js';

/** Reads what tenants use of their limits. Only the list of services knows all of them, so it provides this. */
export abstract class TenantUsage {
  /** Reads the usage of these tenants, or of all. Returns a look-up by tenant id; a tenant without usage has zeros. */
  abstract of(tenantIds?: string[]): Promise<(tenantId: string) => TenantLimits>;

  /** Reads the usage of one tenant. Callers who ask at the same time share it: some of it is counted row by row. */
  readonly ofTenant = sharedByKey(async (tenantId) => (await this.of([tenantId]))(tenantId));
}
