import type { Database, Statements } from '../../../common/database/database.js';
import { bulkInsert } from '../../../common/database/sql/bulk-insert.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { NEW_LOG, type NewLogRow } from '../records/log-row.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { SEAL_LOCK } from '../records/records.queries.js';

const LOGS = bulkInsert(NEW_LOG);
const LOCK = raw(String(SEAL_LOCK));

// Keys are columns: with a table of keys this took 1.5 to 2 times the processor time on SQLite, 1.1 on PostgreSQL (decision 099).
const UNLESS_KEY_IS_THERE = sql`ON CONFLICT DO NOTHING RETURNING "id"`;

/**
 * One statement with one parameter, whatever the number of records. On PostgreSQL a writer that waits for the lock has no seq
 * yet: seqs are assigned to rows of the join, which has none before the lock is held.
 */
const insertStatement = (dialect: Dialect, records: string): Sql => {
  const insert = LOGS.insert(dialect);
  const rows = LOGS.table(dialect, sql`${records}`);
  return dialect.pick({
    sqlite: () => sql`${insert} FROM ${rows} WHERE true`,
    postgresql: () => sql`
      WITH "lock" AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${LOCK}))
      ${insert} FROM "lock", ${rows}`,
  })();
};

const insertAll = compiledOnce(insertStatement);
const insertUnlessKeyIsThere = compiledOnce(
  (dialect, records: string) => sql`${insertStatement(dialect, records)} ${UNLESS_KEY_IS_THERE}`,
);

/** Whether the record of an id is stored, as a condition in the transaction of its insert. */
export const isStoredLog = (id: Sql): Sql => sql`EXISTS (SELECT 1 FROM "Log" WHERE "id" = ${id})`;

/** Writes a record as one element of the parameter of `insertLogs`. */
export function asElement(dialect: Dialect, row: NewLogRow, canonical: string): string {
  return dialect.pick({ sqlite: () => LOGS.element(dialect, row), postgresql: () => withMembers(canonical, row) })();
}

/** Reuses the canonical form, which has most members of the element, and appends the other ones. */
function withMembers(canonical: string, { leafHash, mac, salt, idempotencyKey, inputHash }: NewLogRow): string {
  const rest = idempotencyKey === null ? { leafHash, mac, salt } : { leafHash, mac, salt, idempotencyKey, inputHash };
  return `${canonical.slice(0, -1)},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Stores records, given as elements joined by commas. Returns a function that tells whether a record was stored. Only records
 * with a key can be skipped: without keys the database need not check for conflicts or return ids.
 */
export async function insertLogs(
  database: Database,
  { elements, keyed }: { elements: string; keyed: boolean },
): Promise<(id: string) => boolean> {
  const insert = keyed ? insertUnlessKeyIsThere : insertAll;
  const rows = await database.acrossTenants('each record brings its tenant').$query(insert(database.dialect, `[${elements}]`));
  if (!keyed) return () => true;
  const stored = new Set(rows.map(([id]) => id));
  return (id) => stored.has(id);
}

/** The statement of `insertLogs`, for a transaction with other statements. With keys, it returns the ids of records that were stored. */
export const insertLogsStatement = (dialect: Dialect, { elements, keyed }: { elements: string; keyed: boolean }): Sql =>
  keyed ? sql`${insertStatement(dialect, `[${elements}]`)} ${UNLESS_KEY_IS_THERE}` : insertStatement(dialect, `[${elements}]`);

/** Stores records without idempotency keys in a transaction. */
export async function insertLogsWithin(transaction: Statements, dialect: Dialect, elements: string): Promise<void> {
  await transaction.$executeRaw(insertStatement(dialect, `[${elements}]`));
}

/** Call it inside a transaction, before its first write. SQLite needs no lock, as it has one writer at a time. */
export function shareSealLock(dialect: Dialect, transaction: TenantTransaction): PromiseLike<unknown> {
  return dialect.pick<() => PromiseLike<unknown>>({
    sqlite: () => Promise.resolve(0),
    postgresql: () =>
      transaction.acrossTenants('it reads no table').$executeRaw(sql`SELECT pg_advisory_xact_lock_shared(${LOCK})`),
  })();
}

/** Returns the records that were stored under these keys, without their content. */
export function keysOfLogs(database: Database, tenantId: string, keys: string[]) {
  const select = { id: true, idempotencyKey: true, inputHash: true } as const;
  return database.of(tenantId).log.findMany({ where: { idempotencyKey: { in: keys } }, select });
}
