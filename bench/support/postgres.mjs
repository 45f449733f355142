// Separate databases for benches and trials on PostgreSQL, if TEST_DATABASE_URL is set. They are dropped when the process ends.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { skip } from './report.mjs';

const url = process.env.TEST_DATABASE_URL;
const existing = new Set();

export const hasPostgres = Boolean(url);
if (!hasPostgres) skip('PostgreSQL, since TEST_DATABASE_URL is not set');

// Drops the databases in a child process: an exiting process can wait for nothing else.
process.on('exit', () => {
  const script = `import { query } from '${import.meta.url}'; await query(process.env.TEST_DATABASE_URL, process.argv[1]);`;
  for (const name of existing) spawnSync(process.execPath, ['--input-type=module', '-e', script, dropping(name)]);
});

/** Databases that can be measured here. `create` returns the settings of a server and a function that drops the database. */
export const databases = [
  { name: 'SQLite', create: async () => ({ settings: {}, drop: async () => undefined }) },
  ...(hasPostgres ? [{ name: 'PostgreSQL', create: createPostgres }] : []),
];

/** Runs a function with the URL of a new database, and drops it afterwards. */
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

/** Creates a database. Returns the settings of a server and a function that drops the database. */
export async function createPostgres() {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  existing.add(name);
  await query(url, `CREATE DATABASE ${name}`);
  const settings = { DATABASE_URL: Object.assign(new URL(url), { pathname: `/${name}` }).href };
  const drop = async () => {
    await query(url, dropping(name));
    existing.delete(name);
  };
  return { settings, drop };
}

const dropping = (name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
