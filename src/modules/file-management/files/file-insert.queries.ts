import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
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

/** Stores files with one statement, however many. all tenants: each file brings its tenant */
export async function insertFiles({ $cells, dialect }: Database, elements: string[]): Promise<void> {
  const values = raw(ENTRIES.map(([, value], index) => value(`value ->> ${index}`, dialect)).join());
  await $cells(sql`
    INSERT INTO "File" (${NAMES}) SELECT ${values} FROM ${dialect.elements(sql`${`[${elements.join()}]`}`, 'j')} WHERE true`);
}
