import { type PageRows, type PageStatement, type PageWanted, readPage } from '../../common/bounds/page-rows.js';
import { type ColumnKinds, columnsOf, rowReader } from '../../common/database/columns.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, type SizedStatement, sizedColumns, type Wanted } from '../../common/database/sized-rows.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { afterAllWith, fileKey } from './file-filter.js';
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
  const statement: PageStatement = (limit, columns) => filesStatement(isPostgres, query, limit, columns);
  const { rows, more } = await readPage(prisma, [statement], page);
  return { rows: rows.map(toRow), more };
}

function filesStatement(isPostgres: boolean, query: FilesQuery, limit: number, wanted: Wanted): SizedStatement {
  const sql = new SqlValues(isPostgres);
  const all = columnsOf(isPostgres, FILE, 'f');
  const columns = sizedColumns(isPostgres, wanted, limit, { all, key: 'f."id"', bytes: BYTES, long: LONG });
  const conditions = conditionsOf(sql, query).join(' AND ');
  const page = `WHERE ${conditions} ORDER BY f."id" DESC LIMIT ${sql.value(limit)}`;
  // Names are not in the order of ids: what is sorted must not be all that begins so, with all its texts.
  const isSorted = query.namePrefix && wanted !== 'sizes';
  const where = isSorted ? `WHERE f."id" IN (SELECT f."id" FROM "File" AS f ${page}) ORDER BY f."id" DESC` : page;
  return { text: `SELECT ${columns} FROM "File" AS f ${where}`, values: sql.values, wanted };
}

function conditionsOf(sql: SqlValues, query: FilesQuery): string[] {
  const { tenantId, in: ids, gte, below, status, namePrefix, externalReference } = query;
  const conditions = [`f."tenantId" = ${sql.value(tenantId)}`];
  if (ids) conditions.push(ids.length > 0 ? `f."id" IN (${ids.map((id) => sql.value(id)).join()})` : '1 = 0');
  if (gte !== undefined) conditions.push(`f."id" >= ${sql.value(gte)}`);
  if (below !== undefined) conditions.push(`f."id" < ${sql.value(below)}`);
  if (status) conditions.push(havingStatus(sql, status, new Date()));
  if (namePrefix) conditions.push(...havingPrefix(sql, namePrefix));
  if (externalReference !== undefined) {
    // The key finds what may be equal, the reference itself decides.
    conditions.push(`f."externalReferenceKey" = ${sql.value(fileKey(externalReference))}`);
    conditions.push(`f."externalReference" = ${sql.value(externalReference)}`);
  }
  return conditions;
}

/** The rows that a status means at a moment: what has expired is expired, whether or not the sweeper was there. */
function havingStatus(sql: SqlValues, status: FileStatus, now: Date): string {
  if (status === FileStatus.expired) return `(f."status" = '${status}' OR f."expiresAt" <= ${sql.time(now)})`;
  return `f."status" = '${status}' AND (f."expiresAt" IS NULL OR f."expiresAt" > ${sql.time(now)})`;
}

/** A prefix as a range of names, which an index serves; both databases compare names byte by byte. */
function havingPrefix(sql: SqlValues, prefix: string): string[] {
  const key = fileKey(prefix);
  // A range even where keys are equal: for equality SQLite would rather walk all files of the tenant in order of ids.
  const conditions = startingWith(sql, 'f."nameKey"', key);
  return key === prefix ? conditions : [...conditions, ...startingWith(sql, 'f."name"', prefix)];
}

function startingWith(sql: SqlValues, column: string, prefix: string): string[] {
  const end = afterAllWith(prefix);
  return [`${column} >= ${sql.value(prefix)}`, ...(end === undefined ? [] : [`${column} < ${sql.value(end)}`])];
}
