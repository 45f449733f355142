import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { long, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { LEAST_BILLED_BYTES } from '../models/limits.js';

/** Difference between the sum of each tenant's files and its stored usage. One statement, so both are read in one snapshot. */
const differences = (dialect: Dialect): Sql => sql`
  SELECT "tenantId", sum("count") AS "count", sum("size") AS "size", sum("billable") AS "billable", sum("parts") AS "parts" FROM (
    SELECT "tenantId", 1 AS "count", coalesce("contentLength", 0) AS "size",
      CASE WHEN CAST("status" AS TEXT) = 'expired' THEN 0
        ELSE ${raw(dialect.pick({ sqlite: 'max', postgresql: 'greatest' }))}(coalesce("contentLength", 0), ${raw(String(LEAST_BILLED_BYTES))}) END AS "billable",
      0 AS "parts"
    FROM "File"
    UNION ALL
    SELECT "tenantId", 0, 0, 0, "sizeBytes" FROM "MultipartPart"
    UNION ALL
    SELECT "tenantId", -"fileCount", -"fileSize", -"billableFileSize", -"partSize" FROM "FileUsage"
  ) AS "all" GROUP BY "tenantId" HAVING sum("count") <> 0 OR sum("size") <> 0 OR sum("billable") <> 0 OR sum("parts") <> 0`;

/** Returns the tenants whose stored usage differs from the sum of their files. */
export async function readUsageErrors(database: Database): Promise<string[]> {
  const statement = long(differences(database.dialect));
  const everyTenant = database.acrossTenants('the usage of every tenant is compared');
  return (await everyTenant.$queryRaw<{ tenantId: string }[]>(statement)).map(({ tenantId }) => tenantId);
}

/** Adds the difference instead of setting the sum, so that concurrent changes are not lost. */
export async function correctUsage(database: Database, tenantId: string): Promise<void> {
  const sums = ['count', 'size', 'billable', 'parts'].map((name) => `CAST("${name}" AS BIGINT)`).join();
  await database.of(tenantId).$executeRaw(
    long(sql`
    INSERT INTO "FileUsage" ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize", "partSize")
    SELECT "tenantId", 0, ${raw(sums)} FROM (${differences(database.dialect)}) AS "difference" WHERE "tenantId" = ${tenantId}
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET
      "fileCount" = "FileUsage"."fileCount" + excluded."fileCount",
      "fileSize" = "FileUsage"."fileSize" + excluded."fileSize",
      "billableFileSize" = "FileUsage"."billableFileSize" + excluded."billableFileSize",
      "partSize" = "FileUsage"."partSize" + excluded."partSize"`),
  );
}
