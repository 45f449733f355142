import type { Database } from '../../../common/database/database.js';

/** How many templates tenants have, or one of them. */
export async function templateCounts(database: Database, tenantId?: string): Promise<Map<string, number>> {
  const counts = await database.template.groupBy({ by: ['tenantId'], where: { tenantId }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}

/** How many stylesheets tenants have, or one of them. */
export async function stylesheetCounts(database: Database, tenantId?: string): Promise<Map<string, number>> {
  const counts = await database.css.groupBy({ by: ['tenantId'], where: { tenantId }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
