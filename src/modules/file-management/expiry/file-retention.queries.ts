import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';

export interface OldFiles {
  tenantId: string;
  /** Upper bound of the last change. */
  before: Date;
  limit: number;
}

/**
 * Selects old files to change or remove. Skips files with an open multipart upload. Checks the age twice, so that a file changed
 * meanwhile is kept.
 */
function oldFiles(dialect: Dialect, { tenantId, before, limit }: OldFiles, rest: Sql): Sql {
  const isOld = sql`"tenantId" = ${tenantId} AND "updatedAt" < ${dialect.time(before)} AND ${rest}`;
  return sql`
    ${isOld} AND "id" IN (
      SELECT "id" FROM "File" WHERE ${isOld}
        AND NOT EXISTS (SELECT 1 FROM "MultipartUpload" AS u WHERE u."tenantId" = ${tenantId} AND u."fileId" = "File"."id")
      ORDER BY "updatedAt" LIMIT ${limit})`;
}

/** Sets old files to expire now. The expiry job then removes their content before their rows. Exported for tests of the query plan. */
export function expireOldFiles(dialect: Dialect, old: OldFiles, now: Date): Sql {
  const time = dialect.time(now);
  const hasContent = sql`"blobKey" IS NOT NULL AND ("expiresAt" IS NULL OR "expiresAt" > ${time})`;
  return sql`UPDATE "File" SET "expiresAt" = ${time}, "sweepAt" = ${time} WHERE ${oldFiles(dialect, old, hasContent)}`;
}

/** Removes old files without content. */
export function removeOldFiles(dialect: Dialect, old: OldFiles): Sql {
  return sql`DELETE FROM "File" WHERE ${oldFiles(dialect, old, sql`"blobKey" IS NULL`)}`;
}
