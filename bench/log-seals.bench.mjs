// Cost of MACs and sealing for writers of the log: our server alternates with one that has neither. Then the speed of verification. On
// SQLite; with TEST_DATABASE_URL also on PostgreSQL, in separate databases. Left out: an already large log, several nodes that seal
// alternately, and verification of a damaged log.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GraphqlApi } from './support/graphql-api.mjs';
import { CREATE_BATCH, record } from './support/log-records.mjs';
import { databases } from './support/postgres.mjs';
import { median, report } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const BATCH = 1_000;
const BATCHES = 10;
const CALLERS = 2;
const TARGET_COST = 0.25;
const TARGET_VERIFY = 20_000;
const WITHOUT = fileURLToPath(new URL('./support/without-seals.mjs', import.meta.url));
const VERIFY = 'query($from:DateTime){verifyLogs(from:$from){valid checkedRecords checkedTo unsealedRecords reason}}';

const rows = [];
for (const { name, create } of databases) rows.push(...(await measure(name, create)));
report(`log-seals: records per second in batches of ${BATCH}, peer without MACs and seals; records verified per second`, rows);

async function measure(what, create) {
  const sides = {};
  for (const [name, more] of Object.entries({ ours: {}, peer: { NODE_OPTIONS: `--import ${WITHOUT}` } })) {
    const database = await create();
    const settings = { ...database.settings, ...more, DATA_DIR: join(folder, `${what}-${name}`) };
    const server = await start('dist/main.js', settings);
    const { NODE_OPTIONS: _, ...forKeys } = settings;
    sides[name] = { server, database, api: new GraphqlApi(server.address, 'document-log', createKey(forKeys)) };
  }
  const rounds = [];
  for (let round = -1; round < ROUNDS; round++) {
    const rates = {};
    for (const [name, { api }] of Object.entries(sides)) rates[name] = await rowsPerSecond(api, round);
    if (round >= 0) rounds.push(rates);
  }
  const verified = await verifiedPerSecond(sides.ours.api);
  for (const { server, database } of Object.values(sides)) {
    await server.stop();
    await database.drop();
  }
  const of = (name) => median(rounds.map((round) => round[name])).toFixed(0);
  const cost = median(rounds.map(({ ours, peer }) => 1 - ours / peer));
  return [
    {
      what: `${what}, ingest`,
      ours: of('ours'),
      peer: of('peer'),
      ratio: (1 - cost).toFixed(2),
      target: `> ${1 - TARGET_COST}`,
      met: cost < TARGET_COST,
    },
    { what: `${what}, verifyLogs`, ours: verified.toFixed(0), target: `>= ${TARGET_VERIFY}`, met: verified >= TARGET_VERIFY },
  ];
}

async function rowsPerSecond(api, round) {
  const batches = Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: BATCH }, (_, index) => record(((round + 1) * BATCHES + batch) * BATCH + index)),
  );
  const startedAt = performance.now();
  const caller = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await api.ask(CREATE_BATCH, { input: batch });
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (BATCHES * BATCH * 1000) / (performance.now() - startedAt);
}

/** Verifies all records in consecutive calls. */
async function verifiedPerSecond(api) {
  const startedAt = performance.now();
  let records = 0;
  for (let from = null, isEnd = false; !isEnd;) {
    const { verifyLogs } = await api.ask(VERIFY, { from });
    assert.equal(verifyLogs.reason, null);
    records += verifyLogs.checkedRecords;
    from = verifyLogs.checkedTo;
    isEnd = from === null;
  }
  return (records * 1000) / (performance.now() - startedAt);
}
