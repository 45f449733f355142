// Databases of their own for benches on PostgreSQL, where TEST_DATABASE_URL says that there is one.
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const url = process.env.TEST_DATABASE_URL;

/** The kinds of database that can be measured here; each `create` makes one, as settings of a server and a way to drop it. */
export const databases = [
  { name: 'SQLite', create: async () => ({ settings: {}, drop: async () => undefined }) },
  ...(url ? [{ name: 'PostgreSQL', create: createPostgres }] : []),
];

async function createPostgres() {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  await query(`CREATE DATABASE ${name}`);
  const settings = { DATABASE_URL: Object.assign(new URL(url), { pathname: `/${name}` }).href };
  return { settings, drop: () => query(`DROP DATABASE ${name} WITH (FORCE)`) };
}

async function query(sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
