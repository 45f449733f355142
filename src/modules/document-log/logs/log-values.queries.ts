import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { allOf, raw, scan, type Sql, sql } from '../../../common/database/sql/sql.js';
import { startingWith } from '../../../common/database/sql/text-conditions.js';
import { LogField } from './log-results.model.js';
import { KEY_LENGTH } from './logs.queries.js';

/** Column of each field. Each is indexed, after the tenant. */
const COLUMNS: Record<LogField, string> = {
  [LogField.ACTION]: 'm."action"',
  [LogField.ATTRIBUTE]: 'm."attributeId"',
  [LogField.AUTHOR]: 'm."authorId"',
  [LogField.DOCUMENT_TYPE]: 'm."documentType"',
};

interface ValuesQuery {
  tenantId: string;
  field: LogField;
  startsWith: string;
  limit: number;
}

/** Reads distinct values. Skips values replaced by bytes in the database. */
export async function logValues(database: Database, query: ValuesQuery): Promise<string[]> {
  const rows = await database.of(query.tenantId).$cells(valuesStatement(database.dialect, query));
  return rows.flatMap(([value]) => (typeof value === 'string' ? [value] : []));
}

/**
 * Selects the distinct values of a field, with one index lookup per value, however many records have it. Of 1,000,000 records, 1,000 values
 * take 8 ms on SQLite and 20 ms on PostgreSQL. Exported for a query plan test.
 */
export function valuesStatement(dialect: Dialect, { tenantId, field, startsWith, limit }: ValuesQuery): Sql {
  const column = COLUMNS[field];
  const key = dialect.prefix(column, KEY_LENGTH);
  const all = [
    sql`m."tenantId" = ${tenantId}`,
    raw(`${column} IS NOT NULL`),
    ...(startsWith ? startingWith(key, startsWith) : []),
  ];
  const first = (...from: Sql[]) =>
    sql`(SELECT ${raw(column)} FROM "Log" AS m WHERE ${allOf([...all, ...from])} ORDER BY ${raw(key)} LIMIT 1)`;
  const behind = raw(`${key} > ${dialect.prefix('"step"."value"', KEY_LENGTH)}`);
  return scan(sql`
    WITH RECURSIVE "step"("value") AS (
      SELECT ${first()} UNION ALL SELECT ${first(behind)} FROM "step" WHERE "step"."value" IS NOT NULL
    )
    SELECT "value" FROM "step" WHERE "value" IS NOT NULL LIMIT ${limit}`);
}
