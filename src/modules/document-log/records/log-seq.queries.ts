import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';

/** Below and above every seq that a database can store: databases count from 1, but rows with any seq can be slipped in. */
export const BEFORE_ALL = -(2n ** 63n) - 1n;
export const AFTER_ALL = 2n ** 63n - 1n;

/** The condition that rows come after one seq and up to another. */
export function seqWithin(column: string, { after, upTo }: { after: bigint; upTo: bigint }): Sql {
  const seq = raw(column);
  return after === BEFORE_ALL ? sql`${seq} <= ${upTo}` : sql`${seq} > ${after} AND ${seq} <= ${upTo}`;
}
