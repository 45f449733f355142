import { empty, join, raw, Sql, sqltag as sql } from '@prisma/client/runtime/client';

export { empty, join, raw, Sql, sql };

/** Joins conditions that must all hold; without any, always true. */
export const allOf = (conditions: readonly Sql[]): Sql => (conditions.length > 0 ? join(conditions, ' AND ') : sql`1 = 1`);

/** Compares a column with a list of values; without any, never true. */
export const oneOf = (column: string, values: readonly unknown[]): Sql =>
  values.length > 0 ? sql`${raw(column)} IN (${join(values)})` : sql`1 = 0`;
