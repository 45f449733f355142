import type { TenantDatabase } from '../../../common/database/tenant-database.js';
import { raw, sql } from '../../../common/database/sql/sql.js';
import { FileStatus } from '../models/file.model.js';

/** Maximum overdue files of all tenants, which the expiry job marks as expired within a minute. */
const MAX_OVERDUE = 1_000;

/** Returns the tenant's files that have expired but are not marked as expired yet; undefined if too many files are overdue. */
export async function overdueFiles(database: TenantDatabase): Promise<string[] | undefined> {
  const now = database.dialect.time(new Date());
  const isMarked = raw(`f."status" = '${FileStatus.expired}'`);
  const rows = await database.$cells(sql`
    SELECT CASE WHEN f."tenantId" = ${database.tenantId} AND NOT ${isMarked} THEN f."id" END
    FROM "File" AS f WHERE f."sweepAt" <= ${now} ORDER BY f."sweepAt" LIMIT ${MAX_OVERDUE + 1}`);
  if (rows.length > MAX_OVERDUE) return undefined;
  return rows.flatMap(([id]) => (id === null ? [] : [id as string]));
}
