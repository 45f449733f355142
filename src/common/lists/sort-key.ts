import type { Dialect } from '../database/sql/dialect.js';
import type { Range } from '../database/sql/index-walks.js';
import { raw, type Sql, sql } from '../database/sql/sql.js';

/** Length of the id that begins a cursor. */
export const ID_LENGTH = 36;

/** Column that a list is sorted by, before its ids. Cursors are an id followed by the value of the column. */
export interface SortKey<Row> {
  column: string;
  /** Writes the column as text, as in cursors. */
  text(dialect: Dialect): string;
  /** Writes the value of a cursor in SQL. */
  value(dialect: Dialect, text: string): Sql;
  of(row: Row): string | number;
}

/** Order by a column and then by ids, or by ids alone. */
export interface SortedBy<Row> {
  /** Column of ids, such as `f."id"`. */
  id: string;
  key?: SortKey<Row> | undefined;
  ascending: boolean;
}

/** Creates a sort key from a column of times. */
export const timeKey = <Row>(column: string, of: (row: Row) => Date): SortKey<Row> => ({
  column,
  text: (dialect) => dialect.milliseconds(column),
  value: (dialect, text) => dialect.time(new Date(Number(text))),
  of: (row) => of(row).getTime(),
});

/** Returns the columns of an order, as in its index. */
export const columnsOf = <Row>({ id, key }: SortedBy<Row>): string[] => (key ? [key.column, id] : [id]);

/** Writes the cursor of an entry in SQL. */
export const cursorIn = <Row>(dialect: Dialect, { id, key }: SortedBy<Row>): string =>
  key ? `${id} || ${key.text(dialect)}` : id;

/** Returns the cursor of a row. */
export const cursorOf = <Row extends { id: string }>(key: SortKey<Row> | undefined, row: Row): string =>
  key ? `${row.id}${key.of(row)}` : row.id;

/** Selects the entries behind a cursor, or those down to it. */
export function comparedTo<Row>(dialect: Dialect, order: SortedBy<Row>, side: 'behind' | 'down to', cursor: string): Sql {
  const { id, key, ascending } = order;
  const sign = raw(side === 'behind' ? (ascending ? '>' : '<') : ascending ? '<=' : '>=');
  if (!key) return sql`${raw(id)} ${sign} ${cursor}`;
  const value = key.value(dialect, cursor.slice(ID_LENGTH));
  return sql`(${raw(key.column)}, ${raw(id)}) ${sign} (${value}, ${cursor.slice(0, ID_LENGTH)})`;
}

/** Selects the entries of a range. */
export function between<Row>(dialect: Dialect, order: SortedBy<Row>, { after, downTo }: Range): Sql[] {
  return [
    ...(after === undefined ? [] : [comparedTo(dialect, order, 'behind', after)]),
    ...(downTo === undefined ? [] : [comparedTo(dialect, order, 'down to', downTo)]),
  ];
}
