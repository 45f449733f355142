import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { MessageStatus } from './message-states.js';

/** How many messages wait for recipients, of tenants or one of them. A global message counts once. */
export async function waitingCounts(prisma: PrismaService, isPostgres: boolean, tenantId?: string): Promise<Map<string, number>> {
  const sql = new SqlValues(isPostgres);
  const waits = () =>
    `"expiresAt" > ${sql.time(new Date())}${tenantId === undefined ? '' : ` AND "tenantId" = ${sql.value(tenantId)}`}`;
  const text = `
    SELECT "tenantId", sum("count") AS "count" FROM (
      SELECT "tenantId", count(*) AS "count" FROM "Message"
      WHERE "status" = '${MessageStatus.PENDING}' AND NOT "isGlobal" AND ${waits()} GROUP BY "tenantId"
      UNION ALL
      SELECT "tenantId", count(*) FROM "GlobalMessage" WHERE "cancelledAt" IS NULL AND ${waits()} GROUP BY "tenantId"
    ) AS "waiting" GROUP BY "tenantId"`;
  const rows = await prisma.$queryRawUnsafe<{ tenantId: string; count: unknown }[]>(text, ...sql.values);
  return new Map(rows.map(({ tenantId: id, count }) => [id, Number(count)]));
}
