import type { Database } from '../../../common/database/database.js';

const SEVERAL = 'the usage of several tenants is read in one statement';

/** Counts templates by tenant, for the given tenants or for all. */
export async function templateCounts(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const { template } = database.acrossTenants(SEVERAL);
  const counts = await template.groupBy({ by: ['tenantId'], where: { tenantId: { in: tenantIds } }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}

/** Counts stylesheets by tenant, for the given tenants or for all. */
export async function stylesheetCounts(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const { css } = database.acrossTenants(SEVERAL);
  const counts = await css.groupBy({ by: ['tenantId'], where: { tenantId: { in: tenantIds } }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
