import type { Dialect } from './dialect.js';
import { allOf, empty, long, raw, scan, type Sql, sql } from './sql.js';
import type { SizedStatement, Wanted } from './sized-rows.js';

/** Number of index entries that one statement reads: a few milliseconds on SQLite, during which everything else waits. */
export const STEP_ENTRIES = 2_000;
/** Maximum rows of a statement that counts as short: a page and one more. */
const MANY_ROWS = 101;

/** Range of an index between two cursors, in the order of the list. */
export interface Range {
  /** Exclusive start cursor. */
  after?: string | undefined;
  /** Cursor of its last entry. */
  downTo?: string | undefined;
}

/** Index whose order a list follows. */
export interface Walk {
  /** Table of the index, and its alias in the conditions. */
  table: string;
  alias: string;
  /** Columns by which SQLite looks up the row of an entry. */
  rowKey: string[];
  /** Columns of the list's order; none if there is at most one row. */
  order: string[];
  /** True if the order is ascending; descending by default. */
  ascending?: boolean;
  /** Cursor of an entry, in SQL. */
  cursor: string;
  /** Returns the conditions that the index itself serves, without skipping entries. */
  served(range: Range): Sql[];
  /** Index hint, where SQLite would choose another index. */
  hint?: Sql | undefined;
  /** Joins of the tables that the columns need. */
  join?: Sql;
  /** Further conditions, checked on the rows of the entries. */
  rest: Sql[];
}

export interface Columns {
  dialect: Dialect;
  /** Writes the columns of a list, like `sizedColumns`. The first is a text that never begins with '>'. */
  columns(limit: number, wanted: Wanted): Sql;
  columnCount: number;
  /** Set for background work, where no caller waits for a single statement. */
  isLong?: boolean;
}

/** Returns whether every entry of the walk matches, so that a page reads no more entries than it has rows. */
export const isExact = (walk: Walk): boolean => walk.rest.length === 0;

/** Reads the rows of an index range. */
export function rowsStatement(list: Columns, walk: Walk, range: Range, limit: number, wanted: Wanted): SizedStatement {
  const rows = isExact(walk)
    ? sql`SELECT ${list.columns(limit, wanted)} ${entries(walk, range, walk.join)} LIMIT ${limit}`
    : rowsBehind(list, walk, { range, bound: list.dialect.fence, limit, wanted });
  return { statement: isExact(walk) && limit <= MANY_ROWS ? unmarked(list, rows) : marked(list, rows), wanted };
}

/**
 * Reads the rows of the next STEP_ENTRIES entries. If more entries follow and fewer than `limit` rows match, a last row holds the
 * cursor of the last entry, which `endOfStep` reads. One statement reads both in the same snapshot.
 */
export function firstStepStatement(list: Columns, walk: Walk, range: Range, limit: number): SizedStatement {
  const wanted = 'small rows';
  const found = rowsBehind(list, walk, { range, bound: raw(`LIMIT ${STEP_ENTRIES}`), limit, wanted });
  const cells = list.columnCount + (list.dialect.readsRowByRow ? 0 : 1); // see sizedColumns
  const end = sql`SELECT '>' || "end"."cursor"${raw(', NULL'.repeat(cells - 1))} FROM (${lastEntry(walk, range)}) AS "end"`;
  const statement = sql`SELECT * FROM (${found}) AS "found" UNION ALL ${end} LIMIT ${limit}`;
  return { statement: marked(list, statement), wanted };
}

interface RowsWanted {
  range: Range;
  /** Keeps the conditions of entries and rows separate: planners would otherwise consider both, and might choose another index. */
  bound: Sql;
  limit: number;
  wanted: Wanted;
}

function rowsBehind(list: Columns, walk: Walk, { range, bound, limit, wanted }: RowsWanted): Sql {
  const found = sql`${entries(walk, range)} ${bound}`;
  const order = list.dialect.pick({ sqlite: empty, postgresql: inOrderOf(walk) });
  const from = sql`${behindEntries(list.dialect, walk, found)} ${walk.join ?? empty}`;
  return sql`SELECT ${list.columns(limit, wanted)} FROM ${from} WHERE ${allOf(walk.rest)} ${order} LIMIT ${limit}`;
}

/**
 * Selects the rows of the entries that a subquery found. SQLite keeps the order of the subquery; a second ORDER BY by the same
 * columns would make it sort. Rows are looked up by their keys, since a subquery of whole rows would read the long texts of skipped
 * rows.
 */
export function behindEntries(dialect: Dialect, walk: Pick<Walk, 'table' | 'alias' | 'rowKey'>, found: Sql): Sql {
  return dialect.pick({
    sqlite: () => foundAgain(walk, found),
    postgresql: () => sql`(SELECT ${raw(walk.alias)}.* ${found}) AS ${raw(walk.alias)}`,
  })();
}

function foundAgain({ table, alias, rowKey }: Pick<Walk, 'table' | 'alias' | 'rowKey'>, found: Sql): Sql {
  const names = rowKey.map((column, index) => `${alias}.${column} AS "key${index}"`).join();
  const again = rowKey.map((column, index) => `${alias}.${column} = "step"."key${index}"`).join(' AND ');
  return sql`(SELECT ${raw(names)} ${found}) AS "step" CROSS JOIN ${raw(`${table} AS ${alias} ON ${again}`)}`;
}

/** Returns the cursor that a row holds instead of values, if any. */
export function endOfStep(row: unknown[] | undefined): string | undefined {
  const first = row?.[0];
  return typeof first === 'string' && first.startsWith('>') ? first.slice(1) : undefined;
}

/** Reads the cursor of the last of the next STEP_ENTRIES entries, if there are that many; mostly without reading their rows. */
export function entryStatement(list: Columns, walk: Walk, range: Range): Sql {
  return marked(list, lastEntry(walk, range));
}

function lastEntry(walk: Walk, range: Range): Sql {
  return sql`SELECT ${raw(walk.cursor)} AS "cursor" ${entries(walk, range)} LIMIT 1 OFFSET ${raw(String(STEP_ENTRIES - 1))}`;
}

/** Writes a statement from FROM to ORDER BY, for the entries of an index range. */
export function entries(walk: Walk, range: Range, joined: Sql = empty): Sql {
  return sql`FROM ${raw(`${walk.table} AS ${walk.alias}`)} ${walk.hint ?? empty} ${joined} WHERE ${allOf(walk.served(range))} ${inOrderOf(walk)}`;
}

/** Writes the ORDER BY clause of a walk. */
export const inOrderOf = ({ order, ascending }: Walk): Sql =>
  order.length > 0 ? raw(`ORDER BY ${order.map((column) => `${column} ${ascending ? 'ASC' : 'DESC'}`).join()}`) : empty;

const marked = ({ isLong }: Columns, statement: Sql): Sql => (isLong ? long(statement) : scan(statement));
const unmarked = ({ isLong }: Columns, statement: Sql): Sql => (isLong ? long(statement) : statement);

/** Filter in SQL: as a whole and, if an index serves it, split into the conditions of that index and those on the row. `hint` as in `Walk`. */
export interface FilterSql {
  whole: Sql[];
  indexed?: Sql[];
  left?: Sql[];
  hint?: Sql;
}

/** Returns one walk for each filter with an index, and that of `base` if requested or if there are no others. */
export function walksBy(filters: FilterSql[], base: Omit<Walk, 'rest'>, { alsoBase = false } = {}): [Walk, ...Walk[]] {
  const walks = filters.flatMap((leading): Walk[] => {
    const { indexed, left = [], hint } = leading;
    if (!indexed) return [];
    const served: Walk['served'] = (range) => [...base.served(range), ...indexed];
    return [{ ...base, hint, served, rest: filters.flatMap((filter) => (filter === leading ? left : filter.whole)) }];
  });
  const whole: Walk = { ...base, rest: filters.flatMap((filter) => filter.whole) };
  const [first, ...others] = walks;
  if (!first) return [whole];
  return alsoBase ? [whole, first, ...others] : [first, ...others];
}
