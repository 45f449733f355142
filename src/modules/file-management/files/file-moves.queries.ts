import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import { fileKey } from './file-filter.js';

export interface NewName {
  id: string;
  name: string;
  next: string;
}

/**
 * Gives files other names, if each still has the one that was read. The list is materialized: with a bare `json_each`, SQLite reads
 * all files of the tenant, and the whole list for each of them.
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
