import type { Dialect } from '../../../common/database/sql/dialect.js';
import { allOf, type Sql, sql } from '../../../common/database/sql/sql.js';
import { fileKey, isWholeKey } from '../file-storage/file-row.js';
import { startingWith } from '../../../common/database/sql/text-conditions.js';

export interface FilesBelow {
  tenantId: string;
  folder: string;
  /** Upper bound of the last change. */
  until?: Date;
  /** Index key at which the step begins: that of the last file of the previous step. */
  from: string | undefined;
  limit: number;
}

/** Selects ids and index keys of files below a folder, by the index of names. Exported for tests of the query plan. */
export function filesBelow(dialect: Dialect, { tenantId, folder, until, from, limit }: FilesBelow): Sql {
  const conditions = [sql`f."tenantId" = ${tenantId}`, ...startingWith('f."nameKey"', fileKey(folder))];
  if (until) conditions.push(sql`f."updatedAt" <= ${dialect.time(until)}`);
  if (from !== undefined) conditions.push(sql`f."nameKey" >= ${from}`);
  if (!isWholeKey(folder)) conditions.push(...startingWith('f."name"', folder));
  return sql`SELECT f."id", f."nameKey" FROM "File" AS f WHERE ${allOf(conditions)} ORDER BY f."nameKey" LIMIT ${limit}`;
}

export interface NewName {
  id: string;
  name: string;
  next: string;
}

/**
 * Renames files whose name is still the one that was read. The list is materialized: with a bare `json_each`, SQLite reads the
 * tenant's files times the list.
 */
export function renameStatement(dialect: Dialect, tenantId: string, names: NewName[], now: Date): Sql {
  const rows = JSON.stringify(names.map(({ id, name, next }) => [id, name, next, fileKey(next)]));
  return sql`
    WITH m AS MATERIALIZED (
      SELECT value ->> 0 AS "id", value ->> 1 AS "name", value ->> 2 AS "next", value ->> 3 AS "nextKey"
      FROM ${dialect.elements(sql`${rows}`, 'j')})
    UPDATE "File" SET "name" = m."next", "nameKey" = m."nextKey", "updatedAt" = ${dialect.time(now)}
    FROM m WHERE "File"."id" = m."id" AND "File"."name" = m."name" AND "File"."tenantId" = ${tenantId}`;
}
