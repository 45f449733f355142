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

// Keys are columns of the record. A separate table took 1.5 to 2 times the processor time on SQLite, 1.1 on PostgreSQL (decision 099).
const UNLESS_KEY_IS_THERE = sql`ON CONFLICT DO NOTHING RETURNING "id"`;

/**
 * Inserts any number of records with one parameter. On PostgreSQL the join delays the assignment of seqs until the transaction holds the
 * seal lock.
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

/** Condition that a record is stored, for use in the transaction of its insert. */
export const isStoredLog = (id: Sql): Sql => sql`EXISTS (SELECT 1 FROM "Log" WHERE "id" = ${id})`;

/** Serializes a record as one JSON element of `insertLogs`. */
export function asElement(dialect: Dialect, row: NewLogRow, canonical: string): string {
  return dialect.pick({ sqlite: () => LOGS.element(dialect, row), postgresql: () => withMembers(canonical, row) })();
}

/** Appends the remaining members to the canonical JSON. */
function withMembers(canonical: string, { leafHash, mac, salt, idempotencyKey, inputHash }: NewLogRow): string {
  const rest = idempotencyKey === null ? { leafHash, mac, salt } : { leafHash, mac, salt, idempotencyKey, inputHash };
  return `${canonical.slice(0, -1)},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Inserts records, given as comma-separated elements. Returns a test of an id: false if its key was already taken. Without keys, the
 * database neither checks for conflicts nor returns ids.
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

/** Builds the statement of `insertLogs` for a larger transaction. With keys, it returns the ids of the inserted records. */
export const insertLogsStatement = (dialect: Dialect, { elements, keyed }: { elements: string; keyed: boolean }): Sql =>
  keyed ? sql`${insertStatement(dialect, `[${elements}]`)} ${UNLESS_KEY_IS_THERE}` : insertStatement(dialect, `[${elements}]`);

/** Inserts records without idempotency keys in a transaction. */
export async function insertLogsWithin(transaction: Statements, dialect: Dialect, elements: string): Promise<void> {
  await transaction.$executeRaw(insertStatement(dialect, `[${elements}]`));
}

/** Acquires the shared seal lock. Call it before the first write of a transaction. SQLite has a single writer and needs no lock. */
export function shareSealLock(dialect: Dialect, transaction: TenantTransaction): PromiseLike<unknown> {
  return dialect.pick<() => PromiseLike<unknown>>({
    sqlite: () => Promise.resolve(0),
    postgresql: () =>
      transaction.acrossTenants('it reads no table').$executeRaw(sql`SELECT pg_advisory_xact_lock_shared(${LOCK})`),
  })();
}

/** Returns the records stored under these keys, without content. */
export function keysOfLogs(database: Database, tenantId: string, keys: string[]) {
  const select = { id: true, idempotencyKey: true, inputHash: true } as const;
  return database.of(tenantId).log.findMany({ where: { idempotencyKey: { in: keys } }, select });
}
