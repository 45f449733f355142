import type { SqlValues } from '../../common/database/sql-values.js';

/** Before and after every seq that a database can hold: the databases count from 1, but rows with any seq can be slipped in. */
export const BEFORE_ALL = -(2n ** 63n) - 1n;
export const AFTER_ALL = 2n ** 63n - 1n;

/** A column of 64 bits to the last digit: SQLite's driver rounds numbers over 2^53, PostgreSQL's reads them as text. */
export const exactly = (isPostgres: boolean, column: string): string => (isPostgres ? column : `CAST(${column} AS TEXT)`);

/** The condition that rows come after one seq and no further than another. */
export function seqWithin(sql: SqlValues, column: string, { after, upTo }: { after: bigint; upTo: bigint }): string {
  const begin = after === BEFORE_ALL ? '' : `${column} > ${sql.value(after)} AND `;
  return `${begin}${column} <= ${sql.value(upTo)}`;
}
