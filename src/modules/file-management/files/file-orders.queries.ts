import { columnsOf, type SortedBy, type SortKey, timeKey } from '../../../common/lists/sort-key.js';
import { oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { FilesOrder } from '../models/file.model.js';
import { fileKey, type ListedFile } from '../file-storage/file-row.js';

/** A column that files are sorted by. An index has it between tenant and id. */
interface FileKey extends SortKey<ListedFile> {
  /** Files without it form the last part of the list. */
  isNullable?: boolean;
  /** Whether the index has these files too. */
  hasNulls?: boolean;
}

/** A part of a list in the order of one index. */
export interface OrderPart {
  /** Without it the order is that of ids. */
  key?: FileKey;
  /** Selects files without this key. */
  without?: FileKey;
  ascending: boolean;
}

export const NAME: FileKey = {
  column: 'f."nameKey"',
  isNullable: true,
  hasNulls: true,
  text: () => 'f."nameKey"',
  value: (_dialect, text) => sql`${text}`,
  of: ({ name }) => fileKey(name!),
};
const SIZE: FileKey = {
  column: 'f."contentLength"',
  isNullable: true,
  text: () => 'f."contentLength"',
  value: (_dialect, text) => sql`${Number(text)}`,
  of: ({ contentLength }) => Number(contentLength),
};

const partsBy = (key: FileKey, ascending: boolean): OrderPart[] => [
  { key, ascending },
  ...(key.isNullable ? [{ without: key, ascending }] : []),
];

/** The parts of the list in each order, one after another. */
export const ORDER_PARTS: Record<FilesOrder, OrderPart[]> = {
  NEWEST: [{ ascending: false }],
  OLDEST: [{ ascending: true }],
  NAME: partsBy(NAME, true),
  RECENTLY_UPDATED: partsBy(
    timeKey('f."updatedAt"', ({ updatedAt }) => updatedAt),
    false,
  ),
  LARGEST: partsBy(SIZE, false),
  SMALLEST: partsBy(SIZE, true),
  EXPIRES_SOON: partsBy({ ...timeKey<ListedFile>('f."expiresAt"', ({ expiresAt }) => expiresAt!), isNullable: true }, true),
};

/** Whether an order is that of ids, which indexes of filters have too. */
export const isById = (order: FilesOrder): boolean => order === FilesOrder.NEWEST || order === FilesOrder.OLDEST;

/** The order of a part, as it is walked. */
export const sortOf = ({ key, ascending }: OrderPart): SortedBy<ListedFile> => ({ id: 'f."id"', key, ascending });

/** The columns of the order of a part, as its index has them. */
export const orderOf = (part: OrderPart): string[] =>
  columnsOf({ ...sortOf(part), key: part.key ?? (part.without?.hasNulls ? part.without : undefined) });

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
