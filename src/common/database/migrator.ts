import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from 'better-sqlite3';
import type { Client, QueryConfig } from 'pg';
import { projectFile } from '../project-file.js';
import { type Dialect, POSTGRESQL, SQLITE } from './sql/dialect.js';
import type { Sql } from './sql/sql.js';

/** Advisory lock of Prisma's own engine, so that its official command and this code also exclude each other. */
const LOCK_ID = 72_707_369;
const LOCK_TIMEOUT_MS = 60_000;
/** How long a server may be silent before it is given up, and how long while it migrates. */
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

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** A change that SQL cannot express: one statement for each row, in the transaction of its migration. */
export interface Filling {
  rows: (dialect: Dialect) => Sql;
  update: (cells: unknown[]) => Sql;
}
/** Keyed by the name of the migration. */
type Fillings = Record<string, Filling>;

interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished_at: unknown;
}

/**
 * Applies the migrations that `prisma migrate deploy` would, in its format (same table, same checksums, same order), without
 * its engine. Nodes that start at once wait for each other. Returns the names of the applied migrations.
 */
export async function migrate(databaseUrl: string, fillings: Fillings = {}): Promise<string[]> {
  if (databaseUrl.startsWith('file:')) return migrateSqlite(databaseUrl.slice('file:'.length), fillings);
  return migratePostgres(databaseUrl, fillings);
}

/** Uses one transaction for all: SQLite rolls back schema changes too, and its write lock is the lock between processes. */
async function migrateSqlite(file: string, fillings: Fillings): Promise<string[]> {
  const { default: Sqlite } = await import('better-sqlite3');
  const db = new Sqlite(file, { timeout: LOCK_TIMEOUT_MS });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('foreign_keys = OFF');
    return db
      .transaction(() => {
        db.exec(HISTORY.sqlite);
        const open = pending('sqlite', db.prepare(APPLIED).all() as HistoryRow[]);
        const record = db.prepare(
          `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
           VALUES (?, ?, ?, ?, ?, 1)`,
        );
        for (const { name, sql, checksum } of open) {
          const startedAt = Date.now();
          db.exec(sql);
          fillSqlite(db, fillings[name]);
          record.run(randomUUID(), checksum, name, startedAt, Date.now());
        }
        return open.map((migration) => migration.name);
      })
      .immediate();
  } finally {
    db.close();
  }
}

function fillSqlite(db: Database, filling: Filling | undefined): void {
  if (!filling) return;
  for (const cells of db.prepare(filling.rows(SQLITE).sql).raw().all() as unknown[][]) {
    const { text, values } = SQLITE.compile(filling.update(cells));
    db.prepare(text).run(values);
  }
}

async function migratePostgres(databaseUrl: string, fillings: Fillings): Promise<string[]> {
  const { Client } = await import('pg');
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    query_timeout: ANSWER_MS,
  });
  client.on('error', () => undefined); // the next query reports it
  await client.connect();
  try {
    const schema = new URL(databaseUrl).searchParams.get('schema') ?? 'public';
    await client.query(`SELECT set_config('search_path', $1, false), set_config('lock_timeout', $2, false)`, [
      client.escapeIdentifier(schema),
      String(LOCK_TIMEOUT_MS),
    ]);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_ID]);
    await client.query(HISTORY.postgresql);
    const open = pending('postgresql', (await client.query<HistoryRow>(APPLIED)).rows);
    for (const migration of open) await applyOnPostgres(client, migration, fillings[migration.name]);
    return open.map((migration) => migration.name);
  } finally {
    await client.end(); // the lock ends with the session
  }
}

async function applyOnPostgres(client: Client, { name, sql, checksum }: Migration, filling?: Filling): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query({ text: sql, query_timeout: MIGRATION_MS } as QueryConfig);
    if (filling) await fillPostgres(client, filling);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}

async function fillPostgres(client: Client, filling: Filling): Promise<void> {
  const { rows } = await client.query<unknown[]>({ text: filling.rows(POSTGRESQL).text, rowMode: 'array' });
  for (const cells of rows) {
    const { text, values } = POSTGRESQL.compile(filling.update(cells));
    await client.query(text, values);
  }
}

function pending(provider: 'sqlite' | 'postgresql', rows: HistoryRow[]): Migration[] {
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  return migrations(provider).filter(({ name, checksum }) => {
    const row = applied.get(name);
    if (row && row.finished_at === null) {
      throw new Error(`Migration ${name} was begun by another tool and did not finish; resolve it with prisma migrate resolve`);
    }
    if (row && row.checksum !== checksum) throw new Error(`Migration ${name} was changed after it was applied`);
    return !row;
  });
}

function migrations(provider: string): Migration[] {
  const folder = fileURLToPath(projectFile(`prisma/${provider}/migrations/`));
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
