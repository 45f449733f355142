import type { Dialect } from '../../../common/database/sql/dialect.js';
import { oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { FilesOrder } from '../models/file.model.js';
import { fileKey } from '../rows/file-filter.js';
import type { ListedFile } from '../rows/file-row.js';

const ID_LENGTH = 36;

/** A column that a list of files is sorted by. An index has it between tenant and id. */
export interface SortKey {
  column: string;
  /** Files without it form the last part of the list. */
  isNullable: boolean;
  /** Whether the index has these files too. */
  hasNulls?: boolean;
  /** The column as text, as cursors have it. */
  text(dialect: Dialect): string;
  /** A value of a cursor, in SQL. */
  value(dialect: Dialect, text: string): Sql;
  of(row: ListedFile): string | number;
}

/** A part of a list in the order of one index. */
export interface OrderPart {
  /** Without it the order is that of ids. */
  key?: SortKey;
  /** Selects files without this key. */
  without?: SortKey;
  ascending: boolean;
}

const timeKey = (name: 'updatedAt' | 'expiresAt', isNullable: boolean): SortKey => ({
  column: `f."${name}"`,
  isNullable,
  text: (dialect) => dialect.milliseconds(`f."${name}"`),
  value: (dialect, text) => dialect.time(new Date(Number(text))),
  of: (row) => row[name]!.getTime(),
});

export const NAME: SortKey = {
  column: 'f."nameKey"',
  isNullable: true,
  hasNulls: true,
  text: () => 'f."nameKey"',
  value: (_dialect, text) => sql`${text}`,
  of: ({ name }) => fileKey(name!),
};
const SIZE: SortKey = {
  column: 'f."contentLength"',
  isNullable: true,
  text: () => 'f."contentLength"',
  value: (_dialect, text) => sql`${Number(text)}`,
  of: ({ contentLength }) => Number(contentLength),
};

const partsBy = (key: SortKey, ascending: boolean): OrderPart[] => [
  { key, ascending },
  ...(key.isNullable ? [{ without: key, ascending }] : []),
];

/** The parts of the list in each order, one after another. */
export const ORDER_PARTS: Record<FilesOrder, OrderPart[]> = {
  NEWEST: [{ ascending: false }],
  OLDEST: [{ ascending: true }],
  NAME: partsBy(NAME, true),
  RECENTLY_UPDATED: partsBy(timeKey('updatedAt', false), false),
  LARGEST: partsBy(SIZE, false),
  SMALLEST: partsBy(SIZE, true),
  EXPIRES_SOON: partsBy(timeKey('expiresAt', true), true),
};

/** Whether an order is that of ids, which indexes of filters have too. */
export const isById = (order: FilesOrder): boolean => order === FilesOrder.NEWEST || order === FilesOrder.OLDEST;

/** The columns of the order of a part, as its index has them. */
export function orderOf({ key, without }: OrderPart): string[] {
  if (key) return [key.column, 'f."id"'];
  return without?.hasNulls ? [without.column, 'f."id"'] : ['f."id"'];
}

/** The order of a part as it is written behind ORDER BY. */
export const sortedBy = (part: OrderPart): Sql =>
  raw(
    `ORDER BY ${orderOf(part)
      .map((column) => `${column} ${part.ascending ? 'ASC' : 'DESC'}`)
      .join()}`,
  );

/** The conditions on the files of a part: those that its index serves, and those on rows. */
export function conditionsOfPart({ key, without }: OrderPart): { served: Sql[]; rest: Sql[] } {
  if (key) return { served: key.isNullable ? [raw(`${key.column} IS NOT NULL`)] : [], rest: [] };
  if (!without) return { served: [], rest: [] };
  const isWithout = raw(`${without.column} IS NULL`);
  return without.hasNulls ? { served: [isWithout], rest: [] } : { served: [], rest: [isWithout] };
}

/** The cursor of an entry, in SQL: its id, and the key behind it. */
export const cursorIn = (dialect: Dialect, { key }: OrderPart): string => (key ? `f."id" || ${key.text(dialect)}` : 'f."id"');

/** The cursor of a file. */
export const cursorOf = ({ key }: OrderPart, row: ListedFile): string => (key ? `${row.id}${key.of(row)}` : row.id);

/** Selects what comes behind a cursor, or from the beginning down to it. */
export function comparedTo(dialect: Dialect, { key, ascending }: OrderPart, side: 'behind' | 'down to', cursor: string): Sql {
  const sign = raw(side === 'behind' ? (ascending ? '>' : '<') : ascending ? '<=' : '>=');
  if (!key) return sql`f."id" ${sign} ${cursor}`;
  const value = key.value(dialect, cursor.slice(ID_LENGTH));
  return sql`(${raw(key.column)}, f."id") ${sign} (${value}, ${cursor.slice(0, ID_LENGTH)})`;
}

interface IdsWanted {
  in?: string[] | undefined;
  gte?: string | undefined;
  below?: string | undefined;
}

/** The conditions on ids, which stand for creation times too. */
export function onIds({ in: ids, gte, below }: IdsWanted): Sql[] {
  const conditions: Sql[] = [];
  if (ids) conditions.push(oneOf('f."id"', ids));
  if (gte !== undefined) conditions.push(sql`f."id" >= ${gte}`);
  if (below !== undefined) conditions.push(sql`f."id" < ${below}`);
  return conditions;
}
