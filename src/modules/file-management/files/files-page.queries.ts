import { type PageRows, type PageWanted, readPage } from '../../../common/pages/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/pages/stepped-pages.js';
import { type FilterSql, STEP_ENTRIES, type Walk, walksBy } from '../../../common/database/sql/index-walks.js';
import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { bytesOf, type SizedStatement, sizedColumns, type Wanted } from '../../../common/database/sql/sized-rows.js';
import { containing, startingWith } from '../../../common/database/sql/text-conditions.js';
import { TEXT_SEARCH_MS } from '../../../common/pages/page.js';
import { allOf, oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { fileKey, isWholeKey } from './file-filter.js';
import { directlyIn, folderKeyOf } from './file-folders.queries.js';
import type { ListedFile } from '../rows/file-row.js';
import { LISTED_FILE } from '../rows/files.queries.js';
import { FileStatus } from '../models/file.model.js';

/** Selects files. `gte` and `below` are bounds of ids, which stand for creation times. */
export interface FilesQuery {
  tenantId: string;
  in?: string[] | undefined;
  gte?: string | undefined;
  below?: string | undefined;
  status?: FileStatus | null | undefined;
  namePrefix?: string | null | undefined;
  contains?: string | null | undefined;
  /** Selects files in this folder; empty for files whose names have no slash. */
  folder?: string | null | undefined;
  externalReference?: string | undefined;
  /** Whether the oldest file comes first, and not the newest. */
  isOldestFirst?: boolean;
  /** Where the page begins: at the first id behind this one. */
  after: string | undefined;
}

const BYTES = bytesOf(['f."name"', 'f."comment"', 'f."author"', 'f."externalReference"', 'f."attributes"', 'f."accept"']);
const LONG = ['f."comment"', 'f."author"', 'f."attributes"'];

/** Reads a page of files, in the order of their ids. */
export async function pageOfFiles(
  database: Database,
  query: FilesQuery,
  page: PageWanted,
): Promise<{ rows: ListedFile[]; more: PageRows['more'] }> {
  const { dialect } = database;
  const own = database.of(query.tenantId);
  const { rows, more } = (await canBeSorted(database, query))
    ? await readPage(own, [(limit, wanted) => sortedStatement(dialect, query, limit, wanted)], page)
    : await readSteppedPage(own, filesList(dialect, query), { ...page, after: query.after });
  return { rows: rows.map(LISTED_FILE.row), more };
}

/**
 * Whether few enough names have the prefix to find them by their index and sort them by id. Otherwise the list is walked in
 * steps.
 */
async function canBeSorted(database: Database, { tenantId, namePrefix }: FilesQuery): Promise<boolean> {
  if (!namePrefix) return false;
  const conditions = [sql`f."tenantId" = ${tenantId}`, ...startingWith('f."nameKey"', fileKey(namePrefix))];
  const end = raw(`LIMIT 1 OFFSET ${STEP_ENTRIES}`);
  return (await database.of(tenantId).$cells(sql`SELECT 1 FROM "File" AS f WHERE ${allOf(conditions)} ${end}`)).length === 0;
}

/** Reads a page by the index of names. Sorts only ids, since the rows of all names with the prefix could be large. */
function sortedStatement(dialect: Dialect, query: FilesQuery, limit: number, wanted: Wanted): SizedStatement {
  const columns = columnsFor(dialect)(limit, wanted);
  const key = fileKey(query.namePrefix!);
  const { contains, folder, status, after } = query;
  const conditions = [...idConditions(query), ...startingWith('f."nameKey"', key)];
  if (after !== undefined) conditions.push(behind(query, after));
  if (typeof folder === 'string') conditions.push(...directlyIn(dialect, folder));
  if (contains) conditions.push(containing(dialect, 'f."name"', contains));
  if (key !== query.namePrefix) conditions.push(...startingWith('f."name"', query.namePrefix!));
  if (status) conditions.push(havingStatus(dialect, status, new Date()));
  const order = raw(`ORDER BY f."id" ${query.isOldestFirst ? 'ASC' : 'DESC'}`);
  const page = sql`WHERE ${allOf(conditions)} ${order} LIMIT ${limit}`;
  const where = wanted === 'sizes' ? page : sql`WHERE f."id" IN (SELECT f."id" FROM "File" AS f ${page}) ${order}`;
  return { statement: sql`SELECT ${columns} FROM "File" AS f ${where}`, wanted };
}

/** The list of files that match a filter. Exported so that a test can explain its statements. */
export function filesList(dialect: Dialect, query: FilesQuery): SteppedList {
  const base: Omit<Walk, 'rest'> = {
    table: '"File"',
    alias: 'f',
    rowKey: ['rowid'],
    order: ['f."id"'],
    ascending: query.isOldestFirst ?? false,
    cursor: 'f."id"',
    served: ({ after, downTo }) => {
      const conditions = idConditions(query);
      if (after !== undefined) conditions.push(behind(query, after));
      if (downTo !== undefined) conditions.push(query.isOldestFirst ? sql`f."id" <= ${downTo}` : sql`f."id" >= ${downTo}`);
      return conditions;
    },
  };
  return {
    dialect,
    columns: columnsFor(dialect),
    columnCount: LISTED_FILE.count,
    parts: [walksBy(filtersOf(dialect, query), base)],
    searchMs: query.contains ? TEXT_SEARCH_MS : undefined,
  };
}

const columnsFor =
  (dialect: Dialect): SteppedList['columns'] =>
  (limit, wanted) =>
    sizedColumns(dialect, wanted, limit, { all: LISTED_FILE.columns(dialect, 'f'), key: 'f."id"', bytes: BYTES, long: LONG });

const behind = ({ isOldestFirst }: FilesQuery, id: string): Sql => (isOldestFirst ? sql`f."id" > ${id}` : sql`f."id" < ${id}`);

/** The conditions on tenant and id. */
function idConditions({ tenantId, in: ids, gte, below }: FilesQuery): Sql[] {
  const conditions = [sql`f."tenantId" = ${tenantId}`];
  if (ids) conditions.push(oneOf('f."id"', ids));
  if (gte !== undefined) conditions.push(sql`f."id" >= ${gte}`);
  if (below !== undefined) conditions.push(sql`f."id" < ${below}`);
  return conditions;
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

/** Selects the rows that have a status at a given time. A file is expired from `expiresAt` on, even if it was not swept yet. */
function havingStatus(dialect: Dialect, status: FileStatus, now: Date): Sql {
  const isStored = raw(`f."status" = '${status}'`);
  if (status === FileStatus.expired) return sql`(${isStored} OR f."expiresAt" <= ${dialect.time(now)})`;
  return sql`${isStored} AND (f."expiresAt" IS NULL OR f."expiresAt" > ${dialect.time(now)})`;
}
