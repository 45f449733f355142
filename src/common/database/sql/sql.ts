import { empty, join, raw, Sql, sqltag as sql } from '@prisma/client/runtime/client';

export { empty, join, raw, Sql, sql };

/** Joins conditions by AND; always true without any. */
export const allOf = (conditions: readonly Sql[]): Sql => (conditions.length > 0 ? join(conditions, ' AND ') : sql`1 = 1`);

/** Compares a column with a list of values; never true without any. */
export const oneOf = (column: string, values: readonly unknown[]): Sql =>
  values.length > 0 ? sql`${raw(column)} IN (${join(values)})` : sql`1 = 0`;

/** Prefix by which the pool recognises a long statement. */
export const LONG_STATEMENT = '/* long */ ';
const SCAN = '/* scan */ ';
const WRITES = /\b(INSERT|UPDATE|DELETE)\b/;

/**
 * Marks a statement that reads much, such as a scan of a whole table, or that belongs to background work, where nobody waits
 * for a single statement. On PostgreSQL it may take two minutes; all others have six seconds.
 */
export const long = (statement: Sql): Sql => sql`${raw(LONG_STATEMENT)}${statement}`;

/**
 * Marks a statement that reads more entries than it returns, and that a caller waits for. It holds up no short statement: SQLite
 * reads it on a connection beside the main one, and few of a tenant run at once on PostgreSQL.
 */
export const scan = (statement: Sql): Sql => sql`${raw(SCAN)}${statement}`;

/** Whether a statement was marked as one that reads much, and changes nothing. */
export const isScan = (text: string): boolean => (text.startsWith(SCAN) || text.startsWith(LONG_STATEMENT)) && !WRITES.test(text);
