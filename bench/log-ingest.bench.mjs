// Log records written over HTTP, compared with the maximum rate of the bare driver on the same table and indexes; and single records
// compared with `version`. On SQLite; with TEST_DATABASE_URL also on PostgreSQL, in a separate database. Left out: concurrent readers
// and exports, idempotency keys, and an already large log.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { GraphqlApi } from './support/graphql-api.mjs';
import { CREATE_BATCH, record } from './support/log-records.mjs';
import { hasPostgres, query, withPostgres } from './support/postgres.mjs';
import { median, report } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const BATCH = 1_000;
const BATCHES = 10;
const CALLERS = 2;
const TARGET_BATCH = 0.5;
const TARGET_SINGLE = 0.4;
const COLUMNS = ['id', 'tenantId', 'documentId', 'documentType', 'dateTime', 'attributeId', 'authorId', 'action', 'comment',
  'custom1', 'custom2', 'details', 'createdAt', 'idempotencyKey', 'inputHash', 'leafHash', 'mac']; // prettier-ignore

const rows = [...(await measureSqlite())];
if (hasPostgres) rows.push(...(await measurePostgres()));
report(`log-ingest: records per second in batches of ${BATCH}, peer bare driver; single requests per second, peer version`, rows);

async function measureSqlite() {
  const db = new Sqlite(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('cache_size = -65536');
  db.exec(migrations('sqlite'));
  const line = `(${COLUMNS.map(() => '?').join()})`;
  const insert = db.prepare(`INSERT INTO "Log" (${names()}) VALUES ${Array.from({ length: BATCH }, () => line).join()}`);
  const result = await measure('SQLite', {}, async (made) => {
    insert.run(made.flat().map((value) => (value instanceof Date ? value.getTime() : value)));
  });
  db.close();
  return result;
}

function measurePostgres() {
  return withPostgres(async (own) => {
    const pool = new pg.Pool({ connectionString: own, max: CALLERS, options: '-c search_path=bare' });
    try {
      await query(own, `CREATE SCHEMA bare; SET search_path = bare; ${migrations('postgresql')}`);
      const lines = Array.from(
        { length: BATCH },
        (_, row) => `(${COLUMNS.map((_, at) => `$${row * COLUMNS.length + at + 1}`).join()})`,
      );
      const text = `INSERT INTO "Log" (${names()}) VALUES ${lines.join()}`;
      return await measure('PostgreSQL', { DATABASE_URL: own }, (made) =>
        pool.query({ name: 'insert', text, values: made.flat() }),
      );
    } finally {
      await pool.end();
    }
  });
}

/** Alternates both sides, with the same number of concurrent callers. */
async function measure(what, settings, bare) {
  const server = await start('dist/bundle/main.js', settings);
  const api = new GraphqlApi(server.address, 'document-log', createKey(settings));
  const tenantId = randomUUID();
  const sides = {
    ours: async (inputs) => {
      const { createLogBatch } = await api.ask(CREATE_BATCH, { input: inputs });
      assert.ok(createLogBatch.results.every(({ itemId }) => itemId !== null));
    },
    peer: (inputs) => bare(inputs.map((input) => asRow(tenantId, input))),
  };
  const rounds = [];
  for (let round = -1; round < ROUNDS; round++) {
    const rates = {};
    for (const [name, write] of Object.entries(sides)) rates[name] = await rowsPerSecond(write, round);
    if (round >= 0) rounds.push(rates);
  }
  const single = { query: 'mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', variables: { input: record(1) } };
  const version = { query: '{version}' };
  const load = { connections: 32, seconds: SECONDS };
  for (const operation of [version, single]) await api.load(operation, { ...load, seconds: 2 });
  const singles = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { requests } = await api.load(version, load);
    singles.push({ peer: requests.average, ours: (await api.load(single, load)).requests.average });
  }
  await server.stop();
  return [figures(`${what}, batches`, rounds, TARGET_BATCH), figures(`${what}, createLog`, singles, TARGET_SINGLE)];
}

async function rowsPerSecond(write, round) {
  const batches = Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: BATCH }, (_, index) => record(((round + 1) * BATCHES + batch) * BATCH + index)),
  );
  const startedAt = performance.now();
  const caller = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await write(batch);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (BATCHES * BATCH * 1000) / (performance.now() - startedAt);
}

/** Returns the row that our server would store, without its checks, hashes and HTTP. */
function asRow(tenantId, input) {
  const { documentId, documentType, dateTime, comment, custom1, action, ...details } = input;
  return [randomUUID(), tenantId, documentId, documentType, new Date(dateTime), input.attribute.id, input.author.id, action, comment,
    custom1, null, JSON.stringify(details), new Date(), null, null, 'x'.repeat(43), 'x'.repeat(43)]; // prettier-ignore
}

function names() {
  return COLUMNS.map((name) => `"${name}"`).join();
}

function migrations(provider) {
  const folder = new URL(`../prisma/${provider}/migrations/`, import.meta.url);
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = names.map(({ name }) => new URL(`${name}/migration.sql`, folder)).sort();
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

function figures(what, rounds, target) {
  const ratio = median(rounds.map(({ ours, peer }) => ours / peer));
  const of = (name) => median(rounds.map((round) => round[name])).toFixed(0);
  return { what, ours: of('ours'), peer: of('peer'), ratio: ratio.toFixed(2), target: `>= ${target}`, met: ratio >= target };
}
