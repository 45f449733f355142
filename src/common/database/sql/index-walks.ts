import type { Dialect } from './dialect.js';
import { allOf, empty, long, raw, scan, type Sql, sql } from './sql.js';
import type { SizedStatement, Wanted } from './sized-rows.js';

/** How many entries of an index one statement looks at: a few milliseconds on SQLite, during which everything else waits. */
export const STEP_ENTRIES = 2_000;
/** Rows of a page, and the one behind it, that take no longer than other short statements. */
const MANY_ROWS = 101;

/** A part of an index between two cursors, in the order of the list. */
export interface Range {
  /** Exclusive start cursor. */
  after?: string | undefined;
  /** The cursor of its last entry. */
  downTo?: string | undefined;
}

/** An index in whose order a list can be read. */
export interface Walk {
  /** The table of the index, and its alias in the conditions. */
  table: string;
  alias: string;
  /** The columns by which SQLite finds the row of an entry again. */
  rowKey: string[];
  /** The columns of the list's order; none if there is at most one row. */
  order: string[];
  /** Whether the order is ascending; descending unless it is. */
  ascending?: boolean;
  /** The cursor of an entry, in SQL. */
  cursor: string;
  /** Conditions that the index itself serves: no entry is passed over for them. */
  served(range: Range): Sql[];
  /** Names the index, where SQLite would choose another. */
  hint?: Sql | undefined;
  /** Joins the tables that the columns need. */
  join?: Sql;
  /** Further conditions on the rows behind the entries. */
  rest: Sql[];
}

export interface Columns {
  dialect: Dialect;
  /** The columns of a list, as `sizedColumns` writes them. The first is a text that never begins with '>'. */
  columns(limit: number, wanted: Wanted): Sql;
  columnCount: number;
  /** Set for background work, where nobody waits for a single statement. */
  isLong?: boolean;
}

/** Returns whether every entry of the walk matches, so that no page looks at more entries than it has rows. */
export const isExact = (walk: Walk): boolean => walk.rest.length === 0;

/** Reads the rows of a part of an index. */
export function rowsStatement(list: Columns, walk: Walk, range: Range, limit: number, wanted: Wanted): SizedStatement {
  const rows = isExact(walk)
    ? sql`SELECT ${list.columns(limit, wanted)} ${entries(walk, range, walk.join)} LIMIT ${limit}`
    : rowsBehind(list, walk, { range, bound: list.dialect.fence, limit, wanted });
  return { statement: isExact(walk) && limit <= MANY_ROWS ? unmarked(list, rows) : marked(list, rows), wanted };
}

/**
 * Reads the rows behind the next STEP_ENTRIES entries. If more entries follow and the rows are fewer than `limit`, a last row
 * holds the cursor of the last entry, which `endOfStep` reads. One statement reads both at the same moment.
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
  /** Keeps the entries apart: both planners would otherwise consider `rest` too, and perhaps walk another index. */
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
 * Writes what selects the rows of entries that a subquery found, in the order of the subquery on SQLite; a second ORDER BY by the same
 * columns would make SQLite sort them. It looks the rows up by their keys: a subquery of whole rows would read the long texts of rows
 * that are passed over.
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

/** Returns the cursor that a row holds in place of values, if it does. */
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

/** Writes the part of a statement after its columns, from FROM to ORDER BY, for the entries of a part of an index. */
export function entries(walk: Walk, range: Range, joined: Sql = empty): Sql {
  return sql`FROM ${raw(`${walk.table} AS ${walk.alias}`)} ${walk.hint ?? empty} ${joined} WHERE ${allOf(walk.served(range))} ${inOrderOf(walk)}`;
}

const inOrderOf = ({ order, ascending }: Walk): Sql =>
  order.length > 0 ? raw(`ORDER BY ${order.map((column) => `${column} ${ascending ? 'ASC' : 'DESC'}`).join()}`) : empty;

const marked = ({ isLong }: Columns, statement: Sql): Sql => (isLong ? long(statement) : scan(statement));
const unmarked = ({ isLong }: Columns, statement: Sql): Sql => (isLong ? long(statement) : statement);

/** A filter in SQL: as a whole; and, if an index serves it, for that index, with the conditions left to check on the row. `hint` is that of `Walk`. */
export interface FilterSql {
  whole: Sql[];
  indexed?: Sql[];
  left?: Sql[];
  hint?: Sql;
}

/** Returns one walk for each filter with an index; and that of `base`, if it is asked for or there are no others. */
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
