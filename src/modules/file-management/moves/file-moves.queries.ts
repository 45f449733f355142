import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import { fileKey } from '../rows/file-filter.js';

export interface NewName {
  id: string;
  name: string;
  next: string;
}

/** Gives files other names, if each still has the one that was read. */
export function renameStatement(dialect: Dialect, tenantId: string, names: NewName[], now: Date): Sql {
  const rows = JSON.stringify(names.map(({ id, name, next }) => [id, name, next, fileKey(next)]));
  return sql`
    UPDATE "File" SET "name" = m.value ->> 2, "nameKey" = m.value ->> 3, "updatedAt" = ${dialect.time(now)}
    FROM ${dialect.elements(sql`${rows}`, 'm')}
    WHERE "File"."id" = m.value ->> 0 AND "File"."name" = m.value ->> 1 AND "File"."tenantId" = ${tenantId}`;
}
