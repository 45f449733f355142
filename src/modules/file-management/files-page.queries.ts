import { type PageRows, type PageWanted, readPage } from '../../common/bounds/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../common/bounds/stepped-pages.js';
import { type ColumnKinds, columnsOf, rowReader } from '../../common/database/columns.js';
import { type Conditions, type FilterSql, NO_CONDITION, walksBy } from '../../common/database/filter-walks.js';
import { STEP_ENTRIES, type Walk } from '../../common/database/index-walks.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, type SizedStatement, sizedColumns, type Wanted } from '../../common/database/sized-rows.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { afterAllWith, fileKey, isKeyOfOne } from './file-filter.js';
import type { ShownFileRow } from './file-row.js';
import { FileStatus } from './models/file.model.js';

/** Which files are wanted. Creation times are bounds of ids. */
export interface FilesQuery {
  tenantId: string;
  in?: string[] | undefined;
  gte?: string | undefined;
  below?: string | undefined;
  status?: FileStatus | null | undefined;
  namePrefix?: string | null | undefined;
  externalReference?: string | undefined;
  /** Where the page begins: below this id. */
  after: string | undefined;
}

const FILE: ColumnKinds<ShownFileRow> = {
  id: 'as it is',
  name: 'as it is',
  comment: 'as it is',
  author: 'as it is',
  contentType: 'as it is',
  status: 'as it is',
  errorCode: 'as it is',
  errorMessage: 'as it is',
  externalReference: 'as it is',
  public: 'boolean',
  cacheControl: 'as it is',
  attributes: 'as it is',
  createdAt: 'time',
  updatedAt: 'time',
  expiresAt: 'time',
  blobKey: 'as it is',
  checksumSha256: 'as it is',
  etag: 'as it is',
  contentLength: 'number',
};
const toRow = rowReader(FILE);
const BYTES = bytesOf(['f."name"', 'f."comment"', 'f."author"', 'f."externalReference"', 'f."attributes"']);
const LONG = ['f."comment"', 'f."author"', 'f."attributes"'];

/** Newest first. */
export async function pageOfFiles(
  prisma: PrismaService,
  isPostgres: boolean,
  query: FilesQuery,
  page: PageWanted,
): Promise<{ rows: ShownFileRow[]; more: PageRows['more'] }> {
  const isSorted = await canBeSorted(prisma, isPostgres, query);
  const { rows, more } = isSorted
    ? await readPage(prisma, [(limit, columns) => sortedStatement(isPostgres, query, limit, columns)], page)
    : await readSteppedPage(prisma, filesList(isPostgres, query), { ...page, after: query.after });
  return { rows: rows.map(toRow), more };
}

/** Names are not in the order of ids: so few as one step looks at are sorted, of more the list is walked. */
async function canBeSorted(prisma: PrismaService, isPostgres: boolean, { tenantId, namePrefix }: FilesQuery): Promise<boolean> {
  if (!namePrefix) return false;
  const sql = new SqlValues(isPostgres);
  const conditions = [`f."tenantId" = ${sql.value(tenantId)}`, ...startingWith(sql, 'f."nameKey"', fileKey(namePrefix))];
  const text = `SELECT 1 FROM "File" AS f WHERE ${conditions.join(' AND ')} LIMIT 1 OFFSET ${STEP_ENTRIES}`;
  return (await prisma.$queryArrays(text, sql.values)).length === 0;
}

/** Of a list whose names are found by their index. What is sorted must not be all that begins so, with all its texts. */
function sortedStatement(isPostgres: boolean, query: FilesQuery, limit: number, wanted: Wanted): SizedStatement {
  const sql = new SqlValues(isPostgres);
  const columns = columnsFor(isPostgres)(limit, wanted);
  const key = fileKey(query.namePrefix!);
  const { status, after } = query;
  const conditions = [...idConditions(sql, query), ...startingWith(sql, 'f."nameKey"', key)];
  if (after !== undefined) conditions.push(`f."id" < ${sql.value(after)}`);
  if (key !== query.namePrefix) conditions.push(...startingWith(sql, 'f."name"', query.namePrefix!));
  if (status) conditions.push(havingStatus(sql, status, new Date()));
  const page = `WHERE ${conditions.join(' AND ')} ORDER BY f."id" DESC LIMIT ${sql.value(limit)}`;
  const where = wanted === 'sizes' ? page : `WHERE f."id" IN (SELECT f."id" FROM "File" AS f ${page}) ORDER BY f."id" DESC`;
  return { text: `SELECT ${columns} FROM "File" AS f ${where}`, values: sql.values, wanted };
}

/** The list of a filter, apart from its reading so that a test can have its statements explained. */
export function filesList(isPostgres: boolean, query: FilesQuery): SteppedList {
  const base: Omit<Walk, 'rest'> = {
    table: '"File"',
    alias: 'f',
    rowKey: ['rowid'],
    order: ['f."id"'],
    cursor: 'f."id"',
    served: (sql, { after, downTo }) => {
      const conditions = idConditions(sql, query);
      if (after !== undefined) conditions.push(`f."id" < ${sql.value(after)}`);
      if (downTo !== undefined) conditions.push(`f."id" >= ${sql.value(downTo)}`);
      return conditions;
    },
  };
  const columns = columnsFor(isPostgres);
  return { isPostgres, columns, columnCount: Object.keys(FILE).length, parts: [walksBy(filtersOf(query), base)] };
}

const columnsFor =
  (isPostgres: boolean): SteppedList['columns'] =>
  (limit, wanted) =>
    sizedColumns(isPostgres, wanted, limit, {
      all: columnsOf(isPostgres, FILE, 'f'),
      key: 'f."id"',
      bytes: BYTES,
      long: LONG,
    });

/** What the ids alone decide. */
function idConditions(sql: SqlValues, { tenantId, in: ids, gte, below }: FilesQuery): string[] {
  const conditions = [`f."tenantId" = ${sql.value(tenantId)}`];
  if (ids) conditions.push(ids.length > 0 ? `f."id" IN (${ids.map((id) => sql.value(id)).join()})` : '1 = 0');
  if (gte !== undefined) conditions.push(`f."id" >= ${sql.value(gte)}`);
  if (below !== undefined) conditions.push(`f."id" < ${sql.value(below)}`);
  return conditions;
}

function filtersOf({ status, namePrefix, externalReference }: FilesQuery): FilterSql[] {
  const filters: FilterSql[] = [];
  if (externalReference !== undefined) {
    const key = fileKey(externalReference);
    const whole: Conditions = (sql) => [`f."externalReference" = ${sql.value(externalReference)}`];
    const left = isKeyOfOne(externalReference) ? NO_CONDITION : whole;
    filters.push({ whole, indexed: (sql) => [`f."externalReferenceKey" = ${sql.value(key)}`], left });
  }
  if (status) {
    const now = new Date();
    const whole: Conditions = (sql) => [havingStatus(sql, status, now)];
    const indexed = () => [`f."status" = '${status}'`];
    filters.push(status === FileStatus.expired ? { whole } : { whole, indexed, left: whole });
  }
  if (namePrefix) filters.push({ whole: (sql) => startingWith(sql, 'f."name"', namePrefix) });
  return filters;
}

/** The rows that a status means at a moment: what has expired is expired, whether or not the sweeper was there. */
function havingStatus(sql: SqlValues, status: FileStatus, now: Date): string {
  if (status === FileStatus.expired) return `(f."status" = '${status}' OR f."expiresAt" <= ${sql.time(now)})`;
  return `f."status" = '${status}' AND (f."expiresAt" IS NULL OR f."expiresAt" > ${sql.time(now)})`;
}

/** A prefix as a range, which an index serves; both databases compare texts byte by byte. */
function startingWith(sql: SqlValues, column: string, prefix: string): string[] {
  const end = afterAllWith(prefix);
  return [`${column} >= ${sql.value(prefix)}`, ...(end === undefined ? [] : [`${column} < ${sql.value(end)}`])];
}
