import type { Rows } from '../rows.js';
import { behindEntries, type Columns, STEP_ENTRIES, type Walk } from './index-walks.js';
import type { SizedStatement, Wanted } from './sized-rows.js';
import { allOf, empty, raw, scan, type Sql, sql } from './sql.js';

/** Rows that an index finds in another order than that of their list. */
export interface FewRows extends Pick<Walk, 'table' | 'alias' | 'rowKey' | 'hint'> {
  /** Columns that identify a row. */
  key: string[];
  /** Conditions that the index serves. */
  served: Sql[];
}

/** Returns whether at most STEP_ENTRIES rows match, so that each page can find and sort all of them. */
export async function isFew(database: Rows, { table, alias, hint, served }: FewRows): Promise<boolean> {
  const from = sql`FROM ${raw(`${table} AS ${alias}`)} ${hint ?? empty} WHERE ${allOf(served)}`;
  const beyond = await database.$cells(scan(sql`SELECT 1 ${from} LIMIT 1 OFFSET ${raw(String(STEP_ENTRIES))}`));
  return beyond.length === 0;
}

interface SortedPage {
  /** Conditions on the rows, besides those of the index. */
  rest: Sql[];
  order: Sql;
}

/** Reads a page of few rows. Sorts only their keys, since the rows could be large. */
export function sortedStatement(
  { dialect, columns }: Pick<Columns, 'dialect' | 'columns'>,
  few: FewRows,
  { rest, order }: SortedPage,
  limit: number,
  wanted: Wanted,
): SizedStatement {
  const from = raw(`FROM ${few.table} AS ${few.alias}`);
  const key = raw(few.key.join());
  const found = sql`${from} ${few.hint ?? empty} WHERE ${allOf(few.served)} ${dialect.fence}`;
  const page = sql`FROM ${behindEntries(dialect, few, found)} WHERE ${allOf(rest)} ${order} LIMIT ${limit}`;
  const rows = wanted === 'sizes' ? page : sql`${from} WHERE (${key}) IN (SELECT ${key} ${page}) ${order}`;
  return { statement: scan(sql`SELECT ${columns(limit, wanted)} ${rows}`), wanted };
}
