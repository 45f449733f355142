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
 * Marks an expensive statement, such as a table scan, or one of background work, where no caller waits for a single statement. On
 * PostgreSQL its time limit is two minutes instead of six seconds.
 */
export const long = (statement: Sql): Sql => sql`${raw(LONG_STATEMENT)}${statement}`;

/**
 * Marks a statement of a waiting caller that reads more entries than it returns. It delays no short statement: SQLite runs it on a
 * second connection, and PostgreSQL runs few of a tenant concurrently.
 */
export const scan = (statement: Sql): Sql => sql`${raw(SCAN)}${statement}`;

/** Returns whether a statement is marked as expensive and only reads. */
export const isScan = (text: string): boolean => (text.startsWith(SCAN) || text.startsWith(LONG_STATEMENT)) && !WRITES.test(text);
