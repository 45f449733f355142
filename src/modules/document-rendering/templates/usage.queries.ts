import type { Database } from '../../../common/database/database.js';

/** How many templates tenants have, or some of them. */
export async function templateCounts(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const counts = await database.template.groupBy({ by: ['tenantId'], where: { tenantId: { in: tenantIds } }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}

/** How many stylesheets tenants have, or some of them. */
export async function stylesheetCounts(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const counts = await database.css.groupBy({ by: ['tenantId'], where: { tenantId: { in: tenantIds } }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
