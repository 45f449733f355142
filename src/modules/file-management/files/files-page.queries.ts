import { type PageWanted, readPage } from '../../../common/lists/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { type FewRows, isFew, sortedStatement } from '../../../common/database/sql/few-rows.js';
import { type FilterSql, type Walk, walksBy } from '../../../common/database/sql/index-walks.js';
import type { Database } from '../../../common/database/database.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { allOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { sizedColumns, sizesOf } from '../../../common/database/sql/sized-rows.js';
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
import type { TenantDatabase } from '../../../common/database/tenant-database.js';

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
  /** Files that have expired without being marked as expired, if known. */
  overdue?: string[] | undefined;
}

const TEXTS = LISTED_FILE.texts();
const SIZES = sizesOf(LISTED_FILE, 'f');

/** Reads a page of files, section by section of their order. `more` is the cursor of the next page. */
export async function pageOfFiles(
  database: Database,
  given: FilesQuery,
  page: PageWanted,
): Promise<{ rows: ListedFile[]; more: string | false }> {
  const { dialect } = database;
  const { order = FilesOrder.NEWEST } = given;
  const own = database.of(given.tenantId);
  const query = given.status === FileStatus.expired ? { ...given, overdue: await overdueFiles(own) } : given;
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
          [(limit, rowsWanted) => sortedStatement(list, few, sortedPage(dialect, part, { ...query, after }), limit, rowsWanted)],
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

const FILES = { table: '"File"', alias: 'f', rowKey: ['rowid'] };

/**
 * Returns the rows of the first filter whose few matches can be found by its index and sorted. Otherwise the list is scanned in steps.
 * In the order of ids only a prefix is tried, since the other indexes have this order.
 */
async function fewFiles(database: Database, query: FilesQuery): Promise<FewRows | undefined> {
  const { tenantId, in: ids, namePrefix, order = FilesOrder.NEWEST } = query;
  const rows = (indexed: Sql[]): FewRows => ({
    ...FILES,
    key: ['f."id"'],
    served: [sql`f."tenantId" = ${tenantId}`, ...indexed],
  });
  if (ids && !isById(order)) return rows(onIds({ in: ids }));
  const byName = namePrefix ? [startingWith('f."nameKey"', fileKey(namePrefix))] : [];
  const others = isById(order) ? [] : filtersOf(database.dialect, query).flatMap(({ indexed }) => (indexed ? [indexed] : []));
  for (const indexed of [...byName, ...others]) {
    if (await isFew(database.of(tenantId), rows(indexed))) return rows(indexed);
  }
  return undefined;
}

function sortedPage(dialect: Dialect, part: OrderPart, query: FilesQuery): { rest: Sql[]; order: Sql } {
  const { namePrefix, after } = query;
  const { served, rest } = conditionsOfPart(part);
  const others = filtersOf(dialect, { ...query, namePrefix: undefined }).flatMap(({ whole }) => whole);
  const conditions = [...onIds(query), ...served, ...rest, ...others];
  if (namePrefix) conditions.push(...startingWith('f."nameKey"', fileKey(namePrefix)));
  if (namePrefix && fileKey(namePrefix) !== namePrefix) conditions.push(...startingWith('f."name"', namePrefix));
  if (after !== undefined) conditions.push(comparedTo(dialect, sortOf(part), 'behind', after));
  return { rest: conditions, order: sortedBy(part) };
}

/** Returns the list of files that match a filter, or one section of it. Exported for tests of the query plans. */
export function filesList(
  dialect: Dialect,
  query: FilesQuery,
  part = ORDER_PARTS[query.order ?? FilesOrder.NEWEST][0]!,
): SteppedList {
  const byId = !part.key && !part.without;
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
  const filters = filtersOf(dialect, query).flatMap((filter) => filter.whole);
  return {
    dialect,
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, { all: READ_FILE.columns(dialect, 'f'), ...SIZES }),
    columnCount: READ_FILE.count,
    parts: byId
      ? walksById(dialect, query, base)
      : [[{ ...base, rest: [...(part.key ? onIds(query) : []), ...rest, ...filters] }]],
    searchMs: query.contains ? TEXT_SEARCH_MS : undefined,
  };
}

/** Returns the walks in the order of ids. Overdue files are a part of their own, since no index has them together with expired ones. */
function walksById(dialect: Dialect, query: FilesQuery, base: Omit<Walk, 'rest'>): SteppedList['parts'] {
  const { status, overdue } = query;
  if (status !== FileStatus.expired || !overdue?.length) return [walksBy(filtersOf(dialect, query), base)];
  const others = filtersOf(dialect, { ...query, status: undefined });
  const isOverdue = allOf(onIds({ in: overdue }));
  return [[IS_EXPIRED, sql`NOT (${isOverdue})`], [isOverdue]].map((whole) =>
    walksBy([...others, { whole, indexed: whole }], base),
  );
}

const IS_EXPIRED = raw(`f."status" = '${FileStatus.expired}'`);

/** Returns the conditions on prefix and folder that the index of names serves. */
function inNameIndex({ namePrefix, folder }: FilesQuery): Sql[] {
  return [namePrefix, folder].flatMap((start) => (start ? startingWith('f."nameKey"', fileKey(start)) : []));
}

function filtersOf(dialect: Dialect, query: FilesQuery): FilterSql[] {
  const { folder, status, namePrefix, contains, externalReference, overdue } = query;
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
  if (status === FileStatus.expired && overdue?.length === 0) filters.push({ whole: [IS_EXPIRED], indexed: [IS_EXPIRED] });
  else if (status) {
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

/** Maximum overdue files of all tenants, which the expiry job marks as expired within a minute. */
const MAX_OVERDUE = 1_000;

/** Returns the tenant's files that have expired but are not marked as expired yet; undefined if too many files are overdue. */
async function overdueFiles(database: TenantDatabase): Promise<string[] | undefined> {
  const now = database.dialect.time(new Date());
  const isMarked = raw(`f."status" = '${FileStatus.expired}'`);
  const rows = await database.$cells(sql`
    SELECT CASE WHEN f."tenantId" = ${database.tenantId} AND NOT ${isMarked} THEN f."id" END
    FROM "File" AS f WHERE f."sweepAt" <= ${now} ORDER BY f."sweepAt" LIMIT ${MAX_OVERDUE + 1}`);
  if (rows.length > MAX_OVERDUE) return undefined;
  return rows.flatMap(([id]) => (id === null ? [] : [id as string]));
}
