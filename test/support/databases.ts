import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { queryPostgres, querySqlite } from './behind-the-api.js';

declare const databaseKind: 'sqlite' | 'postgresql' | 'none';

export interface TestDatabase {
  settings(dataDir: string): Record<string, string>;
  /** Runs a statement past the servers. The reason says what no API makes or shows. */
  query(reason: string, sql: string, dataDir: string): Promise<unknown[]>;
  drop(): Promise<void>;
}

const SQLITE: TestDatabase = {
  settings: () => ({}),
  query: async (reason, sql, dataDir) => querySqlite(reason, join(dataDir, 'platform-services.db'), sql),
  drop: async () => undefined,
};

/** A new, empty database of the kind that this run is about. */
export async function createDatabase(kind: string = databaseKind): Promise<TestDatabase> {
  return kind === 'postgresql' ? createPostgres() : SQLITE;
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
  await queryPostgres('no API makes a database', url.href, `CREATE DATABASE ${name}`);
  // Thrown away, so no commit has to wait for the disk, which can take seconds under the writes of all tests.
  await queryPostgres('no API sets up a database', url.href, `ALTER DATABASE ${name} SET synchronous_commit = off`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    settings: () => ({ DATABASE_URL: own.href }),
    query: (reason, sql) => queryPostgres(reason, own.href, sql),
    drop: async () => void (await queryPostgres('no API removes a database', url.href, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}
