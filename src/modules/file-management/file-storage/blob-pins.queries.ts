import type { Database, Statements } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { fileIdOfKey } from './file-row.js';

/** Locks files of a tenant until the transaction ends, so that nobody changes them: what it reads of them stays true. */
export const lockFiles = (dialect: Dialect, transaction: TenantTransaction, ids: string[]): Promise<void> =>
  lockRows(dialect, transaction, sql`"tenantId" = ${transaction.tenantId} AND "id" = ANY(${ids})`, 'UPDATE');

/**
 * Locks files of a tenant until the transaction ends. The expiry job waits for this lock before it removes their content, and then
 * reads the new pins.
 */
export const keepRows = (dialect: Dialect, transaction: TenantTransaction, ids: string[]): Promise<void> =>
  lockRows(dialect, transaction, sql`"tenantId" = ${transaction.tenantId} AND "id" = ANY(${ids})`, 'SHARE');

/** Waits until all transactions that hold `keepRows` locks on these files have ended. */
export const waitForKeepers = (database: Database, ids: string[]): Promise<void> =>
  lockRows(
    database.dialect,
    database.acrossTenants('the expiry of files works for every tenant'),
    sql`"id" = ANY(${ids})`,
    'UPDATE',
  );

/** Locks rows of files. Does nothing on SQLite, which has one writer at a time. */
async function lockRows(dialect: Dialect, database: Statements, condition: Sql, mode: 'SHARE' | 'UPDATE'): Promise<void> {
  const lock = sql`SELECT 1 FROM "File" WHERE ${condition} ORDER BY "id" FOR ${raw(mode)}`;
  await dialect.pick<() => PromiseLike<unknown>>({
    sqlite: () => Promise.resolve(),
    postgresql: () => database.$queryRaw(lock),
  })();
}

/** Returns which of the keys are pinned. */
export async function pinnedOf(database: Database, keys: string[]): Promise<Set<string>> {
  const pins = await database.blobPin.findMany({ where: { blobKey: { in: keys } }, select: { blobKey: true } });
  return new Set(pins.map(({ blobKey }) => blobKey));
}

/** Returns which of the keys are named by neither a file nor a pin. Such a key is never used again. */
export async function abandonedOf(database: Database, keys: string[]): Promise<string[]> {
  // Files are queried before pins: a pin is only made while a file names the key, so a key without a file gets no new pins.
  const { file } = database.acrossTenants('a key names its file, whose id is unique');
  const files = await file.findMany({ where: { id: { in: keys.map(fileIdOfKey) } }, select: { blobKey: true } });
  const named = new Set(files.map(({ blobKey }) => blobKey));
  const unnamed = keys.filter((key) => !named.has(key));
  const pinned = await pinnedOf(database, unnamed);
  return unnamed.filter((key) => !pinned.has(key));
}
