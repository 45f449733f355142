import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';

export interface OldFiles {
  tenantId: string;
  /** Files that nothing has changed since then. */
  before: Date;
  limit: number;
}

/** Files with a multipart upload stay until it ends. A file that changes meanwhile stays too. */
function oldFiles(dialect: Dialect, { tenantId, before, limit }: OldFiles, rest: Sql): Sql {
  const isOld = sql`"tenantId" = ${tenantId} AND "updatedAt" < ${dialect.time(before)} AND ${rest}`;
  return sql`
    ${isOld} AND "id" IN (
      SELECT "id" FROM "File" WHERE ${isOld}
        AND NOT EXISTS (SELECT 1 FROM "MultipartUpload" AS u WHERE u."tenantId" = ${tenantId} AND u."fileId" = "File"."id")
      ORDER BY "updatedAt" LIMIT ${limit})`;
}

/** Lets files expire now, whose content the sweeper then removes ahead of their rows. Exported so that a test can explain it. */
export function expireOldFiles(dialect: Dialect, old: OldFiles, now: Date): Sql {
  const time = dialect.time(now);
  const hasContent = sql`"blobKey" IS NOT NULL AND ("expiresAt" IS NULL OR "expiresAt" > ${time})`;
  return sql`UPDATE "File" SET "expiresAt" = ${time}, "sweepAt" = ${time} WHERE ${oldFiles(dialect, old, hasContent)}`;
}

/** Removes files that have no content, or none any more. */
export function removeOldFiles(dialect: Dialect, old: OldFiles): Sql {
  return sql`DELETE FROM "File" WHERE ${oldFiles(dialect, old, sql`"blobKey" IS NULL`)}`;
}
