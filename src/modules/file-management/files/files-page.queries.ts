import { type PageWanted, readPage } from '../../../common/lists/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { behindEntries, type FilterSql, STEP_ENTRIES, type Walk, walksBy } from '../../../common/database/sql/index-walks.js';
import type { Database } from '../../../common/database/database.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { allOf, raw, scan, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { sizedColumns, type SizedStatement, sizesOf, type Wanted } from '../../../common/database/sql/sized-rows.js';
import { containing, startingWith } from '../../../common/database/sql/text-conditions.js';
import { SEARCH_MS, TEXT_SEARCH_MS } from '../../../common/lists/page.js';
import { comparedTo, cursorIn, cursorOf } from '../../../common/lists/sort-key.js';
import type { FilesWanted } from './file.inputs.js';
import { directlyIn, folderKeyOf } from './file-folders.queries.js';
import { fileKey, isWholeKey, LISTED_FILE, type ListedFile } from '../file-storage/file-row.js';
import { READ_FILE } from '../file-storage/files.queries.js';
import { FilesOrder, FileStatus } from '../models/file.model.js';
import {
  conditionsOfPart,
  isById,
  NAME,
  onIds,
  ORDER_PARTS,
  orderOf,
  type OrderPart,
  sortedBy,
  sortOf,
} from './file-orders.queries.js';

/** Filter of files. `gte` and `below` bound the ids, which represent creation times. */
export interface FilesQuery {
  tenantId: string;
  in?: string[] | undefined;
  gte?: string | undefined;
  below?: string | undefined;
  status?: FileStatus | null | undefined;
  namePrefix?: string | null | undefined;
  contains?: string | null | undefined;
  /** Folder of the files; empty selects names without a slash. */
  folder?: string | null | undefined;
  externalReference?: string | undefined;
  order?: FilesOrder;
  /** Cursor after which the page begins. */
  after: string | undefined;
}

const TEXTS = LISTED_FILE.texts();
const SIZES = sizesOf(LISTED_FILE, 'f');

/** Reads a page of files, section by section of their order. `more` is the cursor of the next page. */
export async function pageOfFiles(
  database: Database,
  query: FilesQuery,
  page: PageWanted,
): Promise<{ rows: ListedFile[]; more: string | false }> {
  const { dialect } = database;
  const { order = FilesOrder.NEWEST } = query;
  const own = database.of(query.tenantId);
  const parts = ORDER_PARTS[order];
  const few = await fewFiles(database, query);
  const endsAt = performance.now() + (query.contains ? TEXT_SEARCH_MS : SEARCH_MS);
  const rows: ListedFile[] = [];
  // A list of several sections prefixes the cursor with the section's number.
  const cursor = (at: number, place: string) => (isById(order) ? place : `${at}${place}`);
  const [first, start] = isById(order) ? [0, query.after] : [Number(query.after?.[0] ?? 0), query.after?.slice(1)];
  for (let at = first, after = start || undefined; ; at++, after = undefined) {
    const part = parts[at]!;
    const heldBytes = rows.reduce((sum, row) => sum + textBytes(row), 0);
    const wanted = { ...page, limit: page.limit - rows.length, heldBytes };
    const list = { ...filesList(dialect, query, part), searchMs: endsAt - performance.now() };
    const read = few
      ? await readPage(
          own,
          [(limit, rowsWanted) => sortedStatement(list, part, { ...query, after }, few, limit, rowsWanted)],
          wanted,
        )
      : await readSteppedPage(own, list, { ...wanted, after });
    const found = read.rows.map(READ_FILE.row);
    rows.push(...found);
    const last = found.length > 0 ? cursorOf(part.key, found.at(-1)!) : (after ?? '');
    if (read.more !== false) return { rows, more: cursor(at, typeof read.more === 'string' ? read.more : last) };
    if (at + 1 === parts.length) return { rows, more: false };
    if (rows.length === page.limit || performance.now() > endsAt) return { rows, more: cursor(at + 1, '') };
  }
}

const textBytes = (row: ListedFile): number =>
  TEXTS.reduce((sum, name) => sum + Buffer.byteLength((row[name] as string | null) ?? ''), 0);

/**
 * Returns the condition of the first filter whose few matches can be found by its index and sorted. Otherwise the list is scanned in
 * steps. In the order of ids only a prefix is tried, since the other indexes have this order.
 */
async function fewFiles(database: Database, query: FilesQuery): Promise<Sql[] | undefined> {
  const { tenantId, in: ids, namePrefix, order = FilesOrder.NEWEST } = query;
  if (ids && !isById(order)) return onIds({ in: ids });
  const byName = namePrefix ? [startingWith('f."nameKey"', fileKey(namePrefix))] : [];
  const others = isById(order) ? [] : filtersOf(database.dialect, query).flatMap(({ indexed }) => (indexed ? [indexed] : []));
  const end = raw(`LIMIT 1 OFFSET ${STEP_ENTRIES}`);
  for (const indexed of [...byName, ...others]) {
    const where = allOf([sql`f."tenantId" = ${tenantId}`, ...indexed]);
    const statement = scan(sql`SELECT 1 FROM "File" AS f WHERE ${where} ${end}`);
    if ((await database.of(tenantId).$cells(statement)).length === 0) return indexed;
  }
  return undefined;
}

/** Reads a page of few files found by an index. Sorts only ids, since the rows could be large. */
function sortedStatement(
  { dialect, columns }: SteppedList,
  part: OrderPart,
  query: FilesQuery,
  few: Sql[],
  limit: number,
  wanted: Wanted,
): SizedStatement {
  const { tenantId, namePrefix, after } = query;
  const { served, rest } = conditionsOfPart(part);
  const others = filtersOf(dialect, { ...query, namePrefix: undefined }).flatMap(({ whole }) => whole);
  const conditions = [...onIds(query), ...served, ...rest, ...others];
  if (namePrefix) conditions.push(...startingWith('f."nameKey"', fileKey(namePrefix)));
  if (namePrefix && fileKey(namePrefix) !== namePrefix) conditions.push(...startingWith('f."name"', namePrefix));
  if (after !== undefined) conditions.push(comparedTo(dialect, sortOf(part), 'behind', after));
  const found = sql`FROM "File" AS f WHERE ${allOf([sql`f."tenantId" = ${tenantId}`, ...few])} ${dialect.fence}`;
  const page = sql`FROM ${behindEntries(dialect, FILES, found)} WHERE ${allOf(conditions)} ${sortedBy(part)} LIMIT ${limit}`;
  const rows = wanted === 'sizes' ? page : sql`FROM "File" AS f WHERE f."id" IN (SELECT f."id" ${page}) ${sortedBy(part)}`;
  return { statement: scan(sql`SELECT ${columns(limit, wanted)} ${rows}`), wanted };
}

const FILES = { table: '"File"', alias: 'f', rowKey: ['rowid'] };

/** Returns the list of files that match a filter, or one section of it. Exported for tests of the query plans. */
export function filesList(
  dialect: Dialect,
  query: FilesQuery,
  part = ORDER_PARTS[query.order ?? FilesOrder.NEWEST][0]!,
): SteppedList {
  const byId = !part.key && !part.without;
  const filters = filtersOf(dialect, query);
  const { served, rest } = conditionsOfPart(part);
  const found = [sql`f."tenantId" = ${query.tenantId}`, ...(part.key ? [] : onIds(query)), ...served];
  if (part.key === NAME) found.push(...inNameIndex(query));
  const base: Omit<Walk, 'rest'> = {
    ...FILES,
    order: orderOf(part),
    ascending: part.ascending,
    cursor: cursorIn(dialect, sortOf(part)),
    served: ({ after, downTo }) => {
      const conditions = [...found];
      if (after !== undefined) conditions.push(comparedTo(dialect, sortOf(part), 'behind', after));
      if (downTo !== undefined) conditions.push(comparedTo(dialect, sortOf(part), 'down to', downTo));
      return conditions;
    },
  };
  const whole = [...(part.key ? onIds(query) : []), ...rest, ...filters.flatMap((filter) => filter.whole)];
  return {
    dialect,
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, { all: READ_FILE.columns(dialect, 'f'), ...SIZES }),
    columnCount: READ_FILE.count,
    parts: [byId ? walksBy(filters, base) : [{ ...base, rest: whole }]],
    searchMs: query.contains ? TEXT_SEARCH_MS : undefined,
  };
}

/** Returns the conditions on prefix and folder that the index of names serves. */
function inNameIndex({ namePrefix, folder }: FilesQuery): Sql[] {
  return [namePrefix, folder].flatMap((start) => (start ? startingWith('f."nameKey"', fileKey(start)) : []));
}

function filtersOf(dialect: Dialect, { folder, status, namePrefix, contains, externalReference }: FilesQuery): FilterSql[] {
  const filters: FilterSql[] = [];
  if (externalReference !== undefined) {
    const whole = [sql`f."externalReference" = ${externalReference}`];
    const left = isWholeKey(externalReference) ? [] : whole;
    filters.push({ whole, indexed: [sql`f."externalReferenceKey" = ${fileKey(externalReference)}`], left });
  }
  if (typeof folder === 'string') {
    const whole = directlyIn(dialect, folder);
    const left = isWholeKey(folder) ? [] : whole;
    filters.push({ whole, indexed: [sql`${raw(folderKeyOf(dialect))} = ${fileKey(folder)}`], left });
  }
  if (status) {
    const whole = [havingStatus(dialect, status, new Date())];
    const indexed = [raw(`f."status" = '${status}'`)];
    filters.push(status === FileStatus.expired ? { whole } : { whole, indexed, left: whole });
  }
  if (namePrefix) filters.push({ whole: startingWith('f."name"', namePrefix) });
  if (contains) filters.push({ whole: [containing(dialect, 'f."name"', contains)] });
  return filters;
}

/** Selects files by their status at a time. A file is expired from `expiresAt` on, even before the expiry job has run. */
function havingStatus(dialect: Dialect, status: FileStatus, now: Date): Sql {
  const isStored = raw(`f."status" = '${status}'`);
  if (status === FileStatus.expired) return sql`(${isStored} OR f."expiresAt" <= ${dialect.time(now)})`;
  return sql`${isStored} AND (f."expiresAt" IS NULL OR f."expiresAt" > ${dialect.time(now)})`;
}

/** Translates a filter to conditions on ids: a list, and the id range of a creation period. */
export function wantedIds({ id, ids, createdAt }: FilesWanted) {
  const listed = typeof id === 'string' ? [id] : ids?.filter((one) => one !== null);
  const from = createdAt?.from?.getTime();
  const to = createdAt?.to?.getTime();
  return {
    in: listed,
    gte: from === undefined ? undefined : lowestIdAt(from),
    below: to === undefined ? undefined : lowestIdAt(to + 1),
  };
}
