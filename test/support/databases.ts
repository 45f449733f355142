import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { queryPostgres, querySqlite } from './behind-the-api.js';

declare const databaseKind: 'sqlite' | 'postgresql' | 'none';

export interface TestDatabase {
  settings(dataDir: string): Record<string, string>;
  /** Runs a statement past the servers. The reason says what no API creates or shows. */
  query(reason: string, sql: string, dataDir: string): Promise<unknown[]>;
  drop(): Promise<void>;
}

const SQLITE: TestDatabase = {
  settings: () => ({}),
  query: async (reason, sql, dataDir) => querySqlite(reason, join(dataDir, 'platform-services.db'), sql),
  drop: async () => undefined,
};

/** Creates a new, empty database of the kind under test. */
export async function createDatabase(kind: string = databaseKind): Promise<TestDatabase> {
  return kind === 'postgresql' ? createPostgres() : SQLITE;
}

/** Combines SQLite with a folder, and PostgreSQL with the S3 server, as deployed. Every server has a bucket of its own. */
export function storeSettings(kind: string = databaseKind): Record<string, string> {
  const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY } = process.env;
  if (kind !== 'postgresql' || !TEST_S3_ENDPOINT) return {};
  return {
    S3_ENDPOINT: TEST_S3_ENDPOINT,
    S3_ACCESS_KEY: TEST_S3_ACCESS_KEY!,
    S3_SECRET_KEY: TEST_S3_SECRET_KEY!,
    S3_BUCKET: `test-${randomUUID()}`,
  };
}

async function createPostgres(): Promise<TestDatabase> {
  const url = new URL(process.env.TEST_DATABASE_URL!);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await queryPostgres('no API makes a database', url.href, `CREATE DATABASE ${name}`);
  // Data is discarded, so commits need not wait for the disk.
  await queryPostgres('no API sets up a database', url.href, `ALTER DATABASE ${name} SET synchronous_commit = off`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    settings: () => ({ DATABASE_URL: own.href }),
    query: (reason, sql) => queryPostgres(reason, own.href, sql),
    drop: async () => void (await queryPostgres('no API removes a database', url.href, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}
