import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import type { TenantDatabase } from '../../../common/database/tenant-database.js';
import { filesBelow } from '../files/files-below.queries.js';
import type { IdsOrFolder } from '../files/file.inputs.js';
import { MAX_ARCHIVED } from '../models/limits.js';

/** Selects the file ids of a folder, up to one above the limit of an archive. */
export const idsBelow = (dialect: Dialect, tenantId: string, folder: string): Sql =>
  filesBelow(dialect, { tenantId, folder, from: undefined, limit: MAX_ARCHIVED + 1 });

/** Counts the selected files, and those with content, without loading them. */
export async function countArchived(
  database: TenantDatabase,
  selection: IdsOrFolder,
): Promise<{ files: number; withContent: number }> {
  const [counts] = await database.$cells(countStatement(database.dialect, database.tenantId, selection));
  const [files, withContent] = counts!.map(Number);
  return { files: files!, withContent: withContent! };
}

function countStatement(dialect: Dialect, tenantId: string, { ids, folder }: IdsOrFolder): Sql {
  const chosen = ids
    ? sql`SELECT "value" AS "id" FROM (${dialect.texts(ids)}) AS t`
    : sql`SELECT b."id" FROM (${idsBelow(dialect, tenantId, folder!)}) AS b`;
  const hasContent = sql`f."blobKey" IS NOT NULL AND (f."expiresAt" IS NULL OR f."expiresAt" > ${dialect.time(new Date())})`;
  return sql`
    SELECT count(*), count(CASE WHEN ${hasContent} THEN 1 END) FROM (${chosen}) AS c CROSS JOIN "File" AS f
    WHERE f."tenantId" = ${tenantId} AND f."id" = c."id"`;
}
