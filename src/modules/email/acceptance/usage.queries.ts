import type { Database } from '../../../common/database/database.js';
import { lowestIdAt } from '../../../common/base/ids.js';

export const DAY_MS = 24 * 3_600_000;

/** Returns the start of the current UTC day in milliseconds since 1970. */
export const startOfDay = (nowMs = Date.now()): number => nowMs - (nowMs % DAY_MS);

/** Counts the mails accepted since midnight UTC per tenant, for the given tenants or all. */
export async function mailsToday(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const where = { tenantId: { in: tenantIds }, id: { gte: lowestIdAt(startOfDay()) } };
  const { email } = database.acrossTenants('one statement reads the usage of several tenants');
  const counts = await email.groupBy({ by: ['tenantId'], where, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
