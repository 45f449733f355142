import type { Database } from '../../../common/database/database.js';
import { allOf, oneOf, raw, scan, sql } from '../../../common/database/sql/sql.js';
import { MessageStatus } from './message-states.js';

/** Counts waiting messages and fallbacks per tenant, for the given tenants or all. A global message counts once. */
export async function waitingCounts(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const ofTenants = tenantIds === undefined ? sql`1 = 1` : oneOf('"tenantId"', tenantIds);
  const waits = allOf([sql`"expiresAt" > ${database.dialect.time(new Date())}`, ofTenants]);
  const several = database.acrossTenants('the usage of several tenants is read in one statement');
  const statement = scan(sql`
    SELECT "tenantId", sum("count") AS "count" FROM (
      SELECT "tenantId", count(*) AS "count" FROM "Message"
      WHERE "status" = ${raw(`'${MessageStatus.PENDING}'`)} AND NOT "isGlobal" AND ${waits} GROUP BY "tenantId"
      UNION ALL
      SELECT "tenantId", count(*) FROM "GlobalMessage" WHERE "cancelledAt" IS NULL AND ${waits} GROUP BY "tenantId"
      UNION ALL
      SELECT "tenantId", count(*) FROM "MessageFallback" WHERE "state" = 'WAITING' AND ${ofTenants} GROUP BY "tenantId"
    ) AS "waiting" GROUP BY "tenantId"`);
  const rows = await several.$queryRaw<{ tenantId: string; count: unknown }[]>(statement);
  return new Map(rows.map(({ tenantId: id, count }) => [id, Number(count)]));
}
