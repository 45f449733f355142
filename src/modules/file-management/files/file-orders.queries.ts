import { columnsOf, type SortedBy, type SortKey, timeKey } from '../../../common/lists/sort-key.js';
import { oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { FilesOrder } from '../models/file.model.js';
import { fileKey, type ListedFile } from '../file-storage/file-row.js';

/** Sort column, indexed between tenant and id. */
interface FileKey extends SortKey<ListedFile> {
  /** True if files without a value follow at the end of the list. */
  isNullable?: boolean;
  /** True if the index contains files without a value. */
  hasNulls?: boolean;
}

/** Section of a list in the order of one index. */
export interface OrderPart {
  /** Sort column; ids if undefined. */
  key?: FileKey;
  /** Column that must be null. */
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

/** Sections of the list in each order, one after another. */
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

/** Returns true for an order by id, which filter indexes have too. */
export const isById = (order: FilesOrder): boolean => order === FilesOrder.NEWEST || order === FilesOrder.OLDEST;

export const sortOf = ({ key, ascending }: OrderPart): SortedBy<ListedFile> => ({ id: 'f."id"', key, ascending });

/** Returns the sort columns of a section, as in its index. */
export const orderOf = (part: OrderPart): string[] =>
  columnsOf({ ...sortOf(part), key: part.key ?? (part.without?.hasNulls ? part.without : undefined) });

/** Returns the ORDER BY clause of a section. */
export const sortedBy = (part: OrderPart): Sql =>
  raw(
    `ORDER BY ${orderOf(part)
      .map((column) => `${column} ${part.ascending ? 'ASC' : 'DESC'}`)
      .join()}`,
  );

/** Returns the conditions of a section: those served by its index, and those on rows. */
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

/** Returns the conditions on ids, which also represent creation times. */
export function onIds({ in: ids, gte, below }: IdsWanted): Sql[] {
  const conditions: Sql[] = [];
  if (ids) conditions.push(oneOf('f."id"', ids));
  if (gte !== undefined) conditions.push(sql`f."id" >= ${gte}`);
  if (below !== undefined) conditions.push(sql`f."id" < ${below}`);
  return conditions;
}
