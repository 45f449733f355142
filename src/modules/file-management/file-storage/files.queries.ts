import type { Caller } from '../../../common/auth/caller.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import type { Database } from '../../../common/database/database.js';
import { raw, sql } from '../../../common/database/sql/sql.js';
import { isId } from '../../../common/base/ids.js';
import type { FileRow, ListedFile } from './file-row.js';

/** The columns of a file that callers see. */
export const LISTED_FILE = mapper<ListedFile>({
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
  maxBytes: 'number',
  accept: 'as it is',
});

const ownFileStatement = compiledOnce(
  (dialect, id: string, tenantId: string) =>
    sql`SELECT ${raw(LISTED_FILE.columns(dialect, 'f'))} FROM "File" AS f WHERE f."id" = ${id} AND f."tenantId" = ${tenantId}`,
);

/**
 * Reads the columns that callers see of a file of the caller's tenant. Written in SQL, since this is the most frequent read and
 * Prisma's pipeline costs more. Building the query in Prisma took three quarters of the time of `file(ID)`.
 */
export async function ownFile(database: Database, { tenantId }: Caller, id: string): Promise<ListedFile | null> {
  if (!isId(id)) return null;
  const [cells] = await database.of(tenantId).$query(ownFileStatement(database.dialect, id, tenantId));
  return cells ? LISTED_FILE.row(cells) : null;
}

/** Reads a file of the caller's tenant with all its columns. */
export async function ownRow(database: Database, { tenantId }: Caller, id: string): Promise<FileRow | null> {
  if (!isId(id)) return null;
  return database.of(tenantId).file.findUnique({ where: { id } });
}
