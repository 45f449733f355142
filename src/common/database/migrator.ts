import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Client, QueryConfig } from 'pg';
import { serversOf } from '../config/setting-rules.js';
import { databaseIsStandby } from '../base/database-faults.js';
import { compare, type Comparison, type HistoryRow, type Migration, refuseLaterDatabase } from './migration-files.js';
import { openSqlite } from './sqlite/sqlite-driver.js';

/** Advisory lock of Prisma's own engine, so that its CLI and this code exclude each other. */
const LOCK_ID = 72_707_369;
const LOCK_TIMEOUT_MS = 60_000;
/**
 * Maximum wait of a migration for a table lock, such as one of an export or `pg_dump`. Other sessions queue behind the migration
 * meanwhile, so it then backs off and retries after a pause.
 */
const TABLE_LOCK_MS = 2_000;
const PAUSE_MS = 3_000;
/** Maximum time of all retries. */
const BLOCKED_MS = 10 * 60_000;
/** Maximum silence of a server, in general and while it migrates. */
const ANSWER_MS = LOCK_TIMEOUT_MS + 10_000;
const MIGRATION_MS = 60 * 60_000;

const HISTORY = {
  sqlite: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME, "migration_name" TEXT NOT NULL,
    "logs" TEXT, "rolled_back_at" DATETIME, "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0)`,
  postgresql: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`,
};
const APPLIED = `SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`;

interface Events {
  /** Called with the applied migrations that this build does not know, if any. */
  onUnknown?: (names: string[]) => void;
  /** Called once with the number of pending migrations, before the first is applied, unless the database is new. */
  onMigrating?: (count: number) => void;
  /** Called once with the reason if a migration is blocked. */
  onBlocked?: (reason: string) => void;
}

/**
 * Applies migrations as `prisma migrate deploy` does (same table, same checksums, same order), without its engine. Nodes that
 * start concurrently wait for each other. Returns the names of the applied migrations.
 * @throws ConfigError for a database created before the first release, or one without something that this release needs
 */
export async function migrate(databaseUrl: string, events: Events = {}): Promise<string[]> {
  let isTold = false;
  const judge = (provider: 'sqlite' | 'postgresql', rows: HistoryRow[]): Migration[] => {
    const { isNew, waiting, unknown } = compare(provider, rows);
    refuseLaterDatabase(unknown);
    if (unknown.length > 0) events.onUnknown?.(unknown);
    if (!isTold && !isNew && waiting.length > 0) events.onMigrating?.(waiting.length);
    isTold = true;
    return waiting;
  };
  const file = sqliteFile(databaseUrl);
  if (file === undefined) return migratePostgres(databaseUrl, (rows) => judge('postgresql', rows), events);
  return migrateSqlite(file, (rows) => judge('sqlite', rows));
}

type Judge = (rows: HistoryRow[]) => Migration[];

/** Compares the database with this build. Changes nothing, and never creates a database. */
export async function readMigrations(databaseUrl: string): Promise<Comparison> {
  const file = sqliteFile(databaseUrl);
  if (file === undefined) return compare('postgresql', await postgresHistory(databaseUrl));
  return compare('sqlite', existsSync(file) ? await sqliteHistory(file) : []);
}

const sqliteFile = (databaseUrl: string): string | undefined =>
  databaseUrl.startsWith('file:') ? databaseUrl.slice('file:'.length) : undefined;

/** Reads the clock of PostgreSQL, in milliseconds. */
export async function readPostgresClock(databaseUrl: string): Promise<number> {
  return onPostgres(databaseUrl, (transact) =>
    transact(async (client) => {
      const { rows } = await client.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
      return Number(rows[0]?.ms);
    }),
  );
}

/** Returns whether PostgreSQL is read-only: a standby, or set so by an operator. */
export async function isPostgresReadOnly(databaseUrl: string): Promise<boolean> {
  return onPostgres(databaseUrl, (transact) =>
    transact(async (client) => {
      const { rows } = await client.query<{ found: boolean }>(`SELECT current_setting('transaction_read_only') = 'on' AS found`);
      return rows[0]!.found;
    }),
  );
}

async function sqliteHistory(file: string): Promise<HistoryRow[]> {
  const db = openSqlite(file, { readonly: true, timeout: LOCK_TIMEOUT_MS });
  try {
    const hasHistory = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = '_prisma_migrations'`).get();
    return hasHistory ? (db.prepare(APPLIED).all() as HistoryRow[]) : [];
  } finally {
    db.close();
  }
}

async function postgresHistory(databaseUrl: string): Promise<HistoryRow[]> {
  return onPostgres(databaseUrl, async (transact) =>
    transact(async (client) => {
      const { rows } = await client.query<{ found: boolean }>(`SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS found`);
      return rows[0]?.found ? (await client.query<HistoryRow>(APPLIED)).rows : [];
    }),
  );
}

/** Uses one transaction for all migrations: SQLite also rolls back schema changes, and its write lock excludes other processes. */
async function migrateSqlite(file: string, judge: Judge): Promise<string[]> {
  const db = openSqlite(file, { timeout: LOCK_TIMEOUT_MS });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('foreign_keys = OFF');
    return db
      .transaction(() => {
        db.exec(HISTORY.sqlite);
        const open = judge(db.prepare(APPLIED).all() as HistoryRow[]);
        const record = db.prepare(
          `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
           VALUES (?, ?, ?, ?, ?, 1)`,
        );
        for (const { name, sql, checksum } of open) {
          const startedAt = Date.now();
          db.exec(sql);
          record.run(randomUUID(), checksum, name, startedAt, Date.now());
        }
        return open.map((migration) => migration.name);
      })
      .immediate();
  } finally {
    db.close();
  }
}

async function migratePostgres(databaseUrl: string, judge: Judge, events: Events): Promise<string[]> {
  return onPostgres(databaseUrl, async (transact) => {
    for (const applied: string[] = []; ;) {
      const name = await onceFree(() => transact((client) => applyNext(client, judge)), events);
      if (!name) return applied;
      applied.push(name);
    }
  });
}

/** Retries while other sessions hold required locks. @throws Error after 10 minutes */
async function onceFree<T>(work: () => Promise<T>, { onBlocked }: Events): Promise<T> {
  const end = performance.now() + BLOCKED_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isBlocked(error)) throw error;
      const reason = `${(error as Error).message}; another session holds a lock, such as a copy of the database, a long report or another migration`;
      if (performance.now() > end) throw new Error(reason, { cause: error });
      if (attempt === 1) onBlocked?.(reason);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Returns whether a lock timed out, or PostgreSQL resolved a deadlock against this session. */
function isBlocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === '55P03' || code === '40P01' || (cause !== undefined && isBlocked(cause));
}

/** Runs work in a transaction, with the schema in the database URL. */
type Transact = <T>(work: (client: Client) => Promise<T>) => Promise<T>;

async function onPostgres<T>(databaseUrl: string, work: (transact: Transact) => Promise<T>): Promise<T> {
  const servers = serversOf(databaseUrl);
  const client = await connectToPrimary(servers);
  const schema = new URL(servers[0]!).searchParams.get('schema') ?? 'public';
  try {
    return await work((inside) => inTransaction(client, schema, inside));
  } finally {
    await client.end();
  }
}

/** Connects to the first server that is not a standby, or to the only one. @throws the error of the last server */
async function connectToPrimary(servers: string[]): Promise<Client> {
  const { Client } = await import('pg');
  let last: unknown;
  for (const connectionString of servers) {
    const client = new Client({ connectionString, connectionTimeoutMillis: 10_000, keepAlive: true, query_timeout: ANSWER_MS });
    client.on('error', () => undefined); // the next query reports it
    try {
      await client.connect();
      if (servers.length === 1) return client;
      const { rows } = await client.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"');
      if (!rows[0]!.isStandby) return client;
      last = databaseIsStandby();
    } catch (error) {
      last = error;
    }
    await client.end().catch(() => undefined);
  }
  throw last;
}

/** Sets nothing beyond the transaction: behind a pooler, the next one may run in another session. */
async function inTransaction<T>(client: Client, schema: string, work: (client: Client) => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await client.query(`SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true)`, [
      client.escapeIdentifier(schema),
      String(LOCK_TIMEOUT_MS),
    ]);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection itself may have failed
    throw error;
  }
}

/** Applies the next pending migration under the lock, and returns its name. */
async function applyNext(client: Client, judge: Judge): Promise<string | undefined> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_ID]);
  await client.query(HISTORY.postgresql);
  const [migration] = judge((await client.query<HistoryRow>(APPLIED)).rows);
  if (!migration) return undefined;
  const { name, sql, checksum } = migration;
  try {
    await client.query(`SET LOCAL lock_timeout = ${TABLE_LOCK_MS}`);
    await client.query({ text: sql, query_timeout: MIGRATION_MS } as QueryConfig);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    return name;
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}
