import type { Database } from '../../../common/database/database.js';
import { bulkInsert } from '../../../common/database/sql/bulk-insert.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { sql } from '../../../common/database/sql/sql.js';
import { NEW_FILE, type NewFile } from '../file-storage/file-row.js';

const FILES = bulkInsert(NEW_FILE);

/** Encodes a file as one element of the parameter of `insertFiles`. */
export const asElement = (dialect: Dialect, file: NewFile): string => FILES.element(dialect, file);

const insertStatement = compiledOnce(
  (dialect, files: string) => sql`${FILES.insert(dialect)} FROM ${FILES.table(dialect, sql`${files}`)} WHERE true`,
);

/** Inserts any number of files with one statement. */
export async function insertFiles(database: Database, elements: string[]): Promise<void> {
  await database.acrossTenants('each file brings its tenant').$query(insertStatement(database.dialect, `[${elements.join()}]`));
}
