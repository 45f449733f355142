import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';

declare const databaseKind: 'sqlite' | 'postgresql' | 'none';

export interface TestDatabase {
  settings(dataDir: string): Record<string, string>;
  /** Acts that only a test may do behind the back of a server. */
  query(sql: string, dataDir: string): Promise<unknown[]>;
  drop(): Promise<void>;
}

/** A new, empty database of the kind that this run is about. */
export async function createDatabase(kind: string = databaseKind): Promise<TestDatabase> {
  return kind === 'postgresql' ? createPostgres() : { settings: () => ({}), query: onFile, drop: async () => undefined };
}

/** SQLite goes with a folder, PostgreSQL with the S3 server, as they are deployed. Every server has a bucket of its own. */
export function storeSettings(kind: string = databaseKind): Record<string, string> {
  const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY } = process.env;
  if (kind !== 'postgresql' || !TEST_S3_ENDPOINT) return {};
  return {
    MINIO_ENDPOINT: TEST_S3_ENDPOINT,
    MINIO_ACCESS_KEY: TEST_S3_ACCESS_KEY!,
    MINIO_SECRET_KEY: TEST_S3_SECRET_KEY!,
    MINIO_BUCKET: `test-${randomUUID()}`,
  };
}

async function createPostgres(): Promise<TestDatabase> {
  const url = new URL(process.env.TEST_DATABASE_URL!);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(url, `CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    settings: () => ({ DATABASE_URL: own.href }),
    query: (sql) => onServer(own, sql),
    drop: async () => void (await onServer(url, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

async function onFile(sql: string, dataDir: string): Promise<unknown[]> {
  const database = new Sqlite(join(dataDir, 'platform-services.db'), { timeout: 5_000 });
  const statement = database.prepare(sql);
  const rows = statement.reader ? statement.all() : (statement.run(), []);
  database.close();
  return rows;
}

async function onServer(url: URL, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
