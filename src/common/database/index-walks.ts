import { LONG_STATEMENT } from './long-statement.js';
import type { SizedStatement, Wanted } from './sized-rows.js';
import { SqlValues } from './sql-values.js';

/** How many entries of an index one statement looks at: a few milliseconds on SQLite, which holds up everything else meanwhile. */
export const STEP_ENTRIES = 2_000;

/** A part of an index between two cursors, from the last entry down. */
export interface Range {
  /** Where it begins: behind this. */
  after?: string | undefined;
  /** Its last entry. */
  downTo?: string | undefined;
}

/** An index in whose order a list can be read. Conditions note their values, so they are made anew for each statement. */
export interface Walk {
  /** Of the index, and what the conditions call it. */
  table: string;
  alias: string;
  /** The columns by which SQLite finds the row of an entry again. */
  rowKey: string[];
  /** The columns of the list's order, which is descending; none where there is one row at most. */
  order: string[];
  /** The cursor of an entry, in SQL. */
  cursor: string;
  /** What the index itself finds: no entry is passed over for these. */
  served(sql: SqlValues, range: Range): string[];
  /** Joins what the columns need. */
  join?(sql: SqlValues): string;
  /** What else the rows behind the entries must be. */
  rest(sql: SqlValues): string[];
}

export interface Columns {
  isPostgres: boolean;
  /** Those of a list, as `sizedColumns` writes them; the first is a text that never begins with '>'. */
  columns(limit: number, wanted: Wanted): string;
  columnCount: number;
  /** That nobody waits for a statement alone. */
  isLong?: boolean;
}

/** Whether each entry that is looked at is wanted, so that no page looks at more of them than it has rows. */
export const isExact = (walk: Walk): boolean => walk.rest(new SqlValues(false)).length === 0;

/** The rows of a part of an index. */
export function rowsStatement(list: Columns, walk: Walk, range: Range, limit: number, wanted: Wanted): SizedStatement {
  const sql = new SqlValues(list.isPostgres);
  const text = isExact(walk)
    ? `SELECT ${list.columns(limit, wanted)} ${entries(walk, sql, range, walk.join?.(sql))} LIMIT ${sql.value(limit)}`
    : rowsBehind(list, walk, sql, { range, bound: list.isPostgres ? 'OFFSET 0' : 'LIMIT -1', limit, wanted });
  return { text: begun(list, text), values: sql.values, wanted };
}

/**
 * The rows behind the next STEP_ENTRIES entries; when these were not all and the rows are fewer than `limit`, a last row
 * holds the cursor of the last entry, which `endOfStep` reads. One statement, so that both are of one moment.
 */
export function firstStepStatement(list: Columns, walk: Walk, range: Range, limit: number): SizedStatement {
  const sql = new SqlValues(list.isPostgres);
  const wanted = 'small rows';
  const found = rowsBehind(list, walk, sql, { range, bound: `LIMIT ${STEP_ENTRIES}`, limit, wanted });
  const empty = ', NULL'.repeat(list.columnCount - 1 + (list.isPostgres ? 1 : 0));
  const end = `SELECT '>' || "end"."cursor"${empty} FROM (${lastEntry(walk, sql, range)}) AS "end"`;
  const text = `SELECT * FROM (${found}) AS "found" UNION ALL ${end} LIMIT ${sql.value(limit)}`;
  return { text: begun(list, text), values: sql.values, wanted };
}

interface RowsWanted {
  range: Range;
  /** Keeps the entries apart, since both planners would weigh up the rest too, and perhaps walk another index. */
  bound: string;
  limit: number;
  wanted: Wanted;
}

function rowsBehind(list: Columns, walk: Walk, sql: SqlValues, { range, bound, limit, wanted }: RowsWanted): string {
  const { table, alias, rowKey } = walk;
  const found = `${entries(walk, sql, range)} ${bound}`;
  // SQLite must find the rows again: a subquery of whole rows would read the long texts of those that are passed over.
  const names = rowKey.map((column, index) => `${alias}.${column} AS "key${index}"`).join();
  const again = rowKey.map((column, index) => `${alias}.${column} = "step"."key${index}"`).join(' AND ');
  const from = list.isPostgres
    ? `(SELECT ${alias}.* ${found}) AS ${alias}`
    : `(SELECT ${names} ${found}) AS "step" CROSS JOIN ${table} AS ${alias} ON ${again}`;
  const join = walk.join?.(sql) ?? '';
  const where = ['1 = 1', ...walk.rest(sql)].join(' AND ');
  // On SQLite rows come in the order of the subquery; to say it once more would make it sort them.
  const order = list.isPostgres ? descending(walk) : '';
  return `SELECT ${list.columns(limit, wanted)} FROM ${from} ${join} WHERE ${where} ${order} LIMIT ${sql.value(limit)}`;
}

/** The cursor that a row holds in place of values, if it does. */
export function endOfStep(row: unknown[] | undefined): string | undefined {
  const first = row?.[0];
  return typeof first === 'string' && first.startsWith('>') ? first.slice(1) : undefined;
}

/** The cursor of the last of the next STEP_ENTRIES entries, if there are so many; mostly without a look at their rows. */
export function entryStatement(list: Columns, walk: Walk, range: Range): { text: string; values: unknown[] } {
  const sql = new SqlValues(list.isPostgres);
  return { text: begun(list, lastEntry(walk, sql, range)), values: sql.values };
}

function lastEntry(walk: Walk, sql: SqlValues, range: Range): string {
  return `SELECT ${walk.cursor} AS "cursor" ${entries(walk, sql, range)} LIMIT 1 OFFSET ${STEP_ENTRIES - 1}`;
}

/** Those of a part of an index, in their order: what follows the columns of a statement. */
export function entries(walk: Walk, sql: SqlValues, range: Range, join = ''): string {
  return `FROM ${walk.table} AS ${walk.alias} ${join} WHERE ${walk.served(sql, range).join(' AND ')} ${descending(walk)}`;
}

const descending = ({ order }: Walk): string =>
  order.length > 0 ? `ORDER BY ${order.map((column) => `${column} DESC`).join()}` : '';

const begun = ({ isLong }: Columns, text: string): string => (isLong ? LONG_STATEMENT + text : text);
