import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';

/** Bounds outside the range of bigint seqs. Databases count from 1, but an intruder can insert any seq. */
export const BEFORE_ALL = -(2n ** 63n) - 1n;
export const AFTER_ALL = 2n ** 63n - 1n;

/** Builds the condition `after` < seq <= `upTo`. */
export function seqWithin(column: string, { after, upTo }: { after: bigint; upTo: bigint }): Sql {
  const seq = raw(column);
  return after === BEFORE_ALL ? sql`${seq} <= ${upTo}` : sql`${seq} > ${after} AND ${seq} <= ${upTo}`;
}
