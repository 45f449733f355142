// Separate databases for benches on PostgreSQL, if TEST_DATABASE_URL is set.
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const url = process.env.TEST_DATABASE_URL;

export const hasPostgres = Boolean(url);

/** The kinds of database that can be measured here; each `create` makes one, as settings of a server and a way to drop it. */
export const databases = [
  { name: 'SQLite', create: async () => ({ settings: {}, drop: async () => undefined }) },
  ...(hasPostgres ? [{ name: 'PostgreSQL', create: createPostgres }] : []),
];

/** Runs with the URL of a new database, which is dropped after it. */
export async function withPostgres(run) {
  const { settings, drop } = await createPostgres();
  try {
    return await run(settings.DATABASE_URL);
  } finally {
    await drop();
  }
}

export async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function createPostgres() {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  await query(url, `CREATE DATABASE ${name}`);
  const settings = { DATABASE_URL: Object.assign(new URL(url), { pathname: `/${name}` }).href };
  return { settings, drop: () => query(url, `DROP DATABASE ${name} WITH (FORCE)`) };
}
