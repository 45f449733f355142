import type { Database, Statements } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { fileIdOfKey } from './file-row.js';

/** Locks files exclusively until the transaction ends. */
export const lockFiles = (dialect: Dialect, transaction: TenantTransaction, ids: string[]): Promise<void> =>
  lockRows(dialect, transaction, sql`"tenantId" = ${transaction.tenantId} AND "id" = ANY(${ids})`, 'UPDATE');

/**
 * Locks files in shared mode until the transaction ends. The expiry job waits for this lock before it removes content, and then reads
 * the new pins.
 */
export const lockFilesShared = (dialect: Dialect, transaction: TenantTransaction, ids: string[]): Promise<void> =>
  lockRows(dialect, transaction, sql`"tenantId" = ${transaction.tenantId} AND "id" = ANY(${ids})`, 'SHARE');

/** Waits for all `lockFilesShared` locks on these files. */
export const waitForSharedLocks = (database: Database, ids: string[]): Promise<void> =>
  lockRows(
    database.dialect,
    database.acrossTenants('the expiry of files works for every tenant'),
    sql`"id" = ANY(${ids})`,
    'UPDATE',
  );

/** Locks rows of files. Does nothing on SQLite, which serializes writers. */
async function lockRows(dialect: Dialect, database: Statements, condition: Sql, mode: 'SHARE' | 'UPDATE'): Promise<void> {
  const lock = sql`SELECT 1 FROM "File" WHERE ${condition} ORDER BY "id" FOR ${raw(mode)}`;
  await dialect.pick<() => PromiseLike<unknown>>({
    sqlite: () => Promise.resolve(),
    postgresql: () => database.$queryRaw(lock),
  })();
}

/** Returns the pinned keys. */
export async function pinnedOf(database: Database, keys: string[]): Promise<Set<string>> {
  const pins = await database.blobPin.findMany({ where: { blobKey: { in: keys } }, select: { blobKey: true } });
  return new Set(pins.map(({ blobKey }) => blobKey));
}

/** Returns the keys without a file or a pin. Such a key is never used again. */
export async function abandonedOf(database: Database, keys: string[]): Promise<string[]> {
  // Files are queried before pins. Pins are created only while a file refers to the key, so a key without a file gets none.
  const { file } = database.acrossTenants('a key names its file, whose id is unique');
  const files = await file.findMany({ where: { id: { in: keys.map(fileIdOfKey) } }, select: { blobKey: true } });
  const named = new Set(files.map(({ blobKey }) => blobKey));
  const unnamed = keys.filter((key) => !named.has(key));
  const pinned = await pinnedOf(database, unnamed);
  return unnamed.filter((key) => !pinned.has(key));
}
