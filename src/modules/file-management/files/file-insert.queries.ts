import type { Database } from '../../../common/database/database.js';
import { bulkInsert } from '../../../common/database/sql/bulk-insert.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { sql } from '../../../common/database/sql/sql.js';
import type { FileRow } from '../file-storage/file-row.js';

/** New file without content. */
export type NewFile = Omit<
  FileRow,
  'errorCode' | 'errorMessage' | 'blobKey' | 'contentLength' | 'checksumSha256' | 'etag' | 'disposition' | 'storedAt' | 'maxBytes'
> & { maxBytes: number | null };

const FILES = bulkInsert<NewFile>('File', {
  id: 'text',
  tenantId: 'text',
  name: 'text',
  nameKey: 'text',
  comment: 'text',
  author: 'text',
  contentType: 'text',
  status: { enum: 'StoredFileStatus' },
  externalReference: 'text',
  externalReferenceKey: 'text',
  public: 'boolean',
  cacheControl: 'text',
  attributes: 'text',
  expectedSha256: 'text',
  maxBytes: 'bigint',
  accept: 'text',
  createdAt: 'time',
  updatedAt: 'time',
  expiresAt: 'time',
  sweepAt: 'time',
});

/** Encodes a file as one element of the parameter of `insertFiles`. */
export const asElement = (dialect: Dialect, file: NewFile): string => FILES.element(dialect, file);

const insertStatement = compiledOnce(
  (dialect, files: string) => sql`${FILES.insert(dialect)} FROM ${FILES.table(dialect, sql`${files}`)} WHERE true`,
);

/** Inserts any number of files with one statement. */
export async function insertFiles(database: Database, elements: string[]): Promise<void> {
  await database.acrossTenants('each file brings its tenant').$query(insertStatement(database.dialect, `[${elements.join()}]`));
}
