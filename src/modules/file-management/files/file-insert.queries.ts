import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, sql } from '../../../common/database/sql/sql.js';
import type { FileRow } from '../rows/file-row.js';

/** A new file, which has no content yet. */
export type NewFile = Omit<
  FileRow,
  'errorCode' | 'errorMessage' | 'blobKey' | 'contentLength' | 'checksumSha256' | 'etag' | 'disposition' | 'storedAt'
>;

const TEXT = (cell: string): string => cell;
const TIME = (cell: string, dialect: Dialect): string => dialect.timeOf(cell);
const STATUS = (cell: string, dialect: Dialect): string =>
  dialect.pick({ sqlite: cell, postgresql: `(${cell})::"StoredFileStatus"` });
const BOOLEAN = (cell: string, dialect: Dialect): string => dialect.pick({ sqlite: cell, postgresql: `(${cell})::boolean` });

/** How the member of a JSON list that holds a column becomes its value. */
const COLUMNS: Record<keyof NewFile, (cell: string, dialect: Dialect) => string> = {
  id: TEXT,
  tenantId: TEXT,
  name: TEXT,
  nameKey: TEXT,
  comment: TEXT,
  author: TEXT,
  contentType: TEXT,
  status: STATUS,
  externalReference: TEXT,
  externalReferenceKey: TEXT,
  public: BOOLEAN,
  cacheControl: TEXT,
  attributes: TEXT,
  expectedSha256: TEXT,
  createdAt: TIME,
  updatedAt: TIME,
  expiresAt: TIME,
  sweepAt: TIME,
};
const ENTRIES = Object.entries(COLUMNS) as [keyof NewFile, (typeof COLUMNS)[keyof NewFile]][];
const NAMES = raw(ENTRIES.map(([name]) => `"${name}"`).join());

/** Writes a file as one element of the parameter of `insertFiles`. */
export function asElement(file: NewFile): string {
  const valueOf = (name: keyof NewFile) => (file[name] instanceof Date ? file[name].getTime() : file[name]);
  return JSON.stringify(ENTRIES.map(([name]) => valueOf(name)));
}

const insertStatement = compiledOnce((dialect, files: string) => {
  const values = raw(ENTRIES.map(([, value], index) => value(`value ->> ${index}`, dialect)).join());
  return sql`INSERT INTO "File" (${NAMES}) SELECT ${values} FROM ${dialect.elements(sql`${files}`, 'j')} WHERE true`;
});

/** Stores files with one statement, however many. */
export async function insertFiles(database: Database, elements: string[]): Promise<void> {
  await database.acrossTenants('each file brings its tenant').$query(insertStatement(database.dialect, `[${elements.join()}]`));
}
