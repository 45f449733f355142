// Growth of the cost of a call with the rows of a tenant: each list by each filter and order, derived from the printed schemas, with
// common, rare and missing values; states, counts and totals; writes; a call of another tenant; verification, export, start and memory.
// The tenant is filled through the API. BENCH_GROWTH sets the row counts, 10,000 to 1,000,000 by default. BENCH_PLOT names a file for a
// plot (SVG). A search by a part of a text, and a count, are judged by their time, which is bounded; all other calls by their growth.
// Left out: deletion and backup, concurrent callers, S3, event deliveries, and rows already sent or delivered.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { growthPlot } from './support/growth-plot.mjs';
import { GrownTenant } from './support/grown-tenant.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { listProbes } from './support/list-probes.mjs';
import { databases } from './support/postgres.mjs';
import { canMeasure, residentMib } from './support/process-usage.mjs';
import { report } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';

const COUNTS = (process.env.BENCH_GROWTH ?? '10000,100000,1000000').split(',').map(Number);
const PLOT = process.env.BENCH_PLOT;
const MAX_GROWTH = 1.5;
const MAX_WRITE_GROWTH = 1.3;
/** Time below which the growth of a call is noise. */
const FLOOR_MS = 3;
/** Time of one search step without an index, and of a count, including the request. */
const STEP_MS = 300;
const CALLS = 9;
/** Further measurements of a slow call. */
const ROUNDS = 5;
const SETTLE_MS = 3_000;
/** Maximum growth of background work per row, as its cost should be linear. */
const MAX_WORK_GROWTH = 1.5;

const NEIGHBOUR = 'neighbour';
const series = [];
for (const { name, create } of databases) {
  const { settings, drop } = await create();
  try {
    series.push(...(await measure(name, { ...settings, DATA_DIR: join(folder, name) })));
  } finally {
    await drop();
  }
}
if (PLOT) writeFileSync(PLOT, growthPlot(series, COUNTS));

async function measure(database, settings) {
  let server = await start('dist/bundle/main.js', settings);
  const keys = [createKey(settings), createKey(settings, undefined, { tenant: NEIGHBOUR })];
  const grown = new GrownTenant(keys[0]);
  const found = new Map();
  const note = (what, kind, value) => found.set(what, { what, kind, values: [...(found.get(what)?.values ?? []), value] });
  for (const count of COUNTS) {
    process.stderr.write(`${database}, ${count} rows ...\n`);
    await grown.growTo(server.address, count);
    await delay(SETTLE_MS);
    for (const { what, kind, time } of await timesOf(probes(server.address, keys))) note(what, kind, time);
    for (const [what, run] of works(server.address, keys[0])) note(what, 'work', { ms: (await timeOfWork(run)) / count });
    if (canMeasure) note('memory, MiB', 'constant', { ms: residentMib(server.pid) });
    await server.stop();
    server = await start('dist/bundle/main.js', settings);
    note('start, ms', 'constant', { ms: server.startMs });
  }
  await server.stop();
  const all = [...found.values()];
  report(`growth on ${database}: ms at ${COUNTS.at(-1)} rows, with ${COUNTS[0]} rows as peer`, all.map(row));
  return all.map((one) => ({ database, ...one }));
}

function probes(address, [key, neighbour]) {
  const ask = (service, by, query, variables) => () => new GraphqlApi(address, service, by).ask(query, variables);
  const lists = listProbes().map(({ service, what, by, query }) => {
    return { what, kind: by === 'search' ? 'bounded' : 'read', run: ask(service, key, query) };
  });
  const other = (kind, what, service, query, by = key) => ({ what, kind, run: ask(service, by, query) });
  const later = new Date(Date.now() + 86_400_000).toISOString();
  return [
    ...lists,
    other(
      'read',
      'state of a document',
      'document-log',
      '{documentState(documentId:"rare",documentType:"invoice"){attributeId}}',
    ),
    other('read', 'values of the log', 'document-log', '{logValues(field:ACTION)}'),
    other('bounded', 'log activity', 'document-log', '{logActivity{__typename}}'),
    other('bounded', 'push activity', 'websockets-manager', '{messageActivity{__typename}}'),
    other('bounded', 'email activity', 'email', '{messageActivity{__typename}}'),
    other('read', 'storage used', 'file-management', '{storageUsed{__typename}}'),
    other(
      'write',
      'a record',
      'document-log',
      'mutation{createLog(input:{documentId:"w",documentType:"w",dateTime:"2024-01-01T00:00:00Z"}){itemId}}',
    ),
    other('write', 'a file', 'file-management', 'mutation{createFile(input:{name:"written/w"}){id}}'),
    other(
      'write',
      'a push',
      'websockets-manager',
      `mutation{pushMessage(input:{recipients:["w"],message:"m",expiresAt:"${later}"}){results{error{message}}}}`,
    ),
    other(
      'write',
      'a mail',
      'email',
      `mutation{sendMessage(input:{to:[{address:"w@example.com"}],subject:"s",textBody:"t",sendAt:"${later}"}){id}}`,
    ),
    other('write', 'a file of a neighbour', 'file-management', 'mutation{createFile(input:{name:"w"}){id}}', neighbour),
    other('read', 'files of a neighbour', 'file-management', '{files{items{id}}}', neighbour),
  ];
}

function works(address, key) {
  return [
    ['verification, per record', () => new GraphqlApi(address, 'document-log', key).ask('{verifyLogs{__typename}}')],
    ['export, per record', () => drain(`${address}/document-log/export`, key)],
  ];
}

async function drain(url, key) {
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  for await (const chunk of response.body) if (chunk.length === 0) return;
}

async function timeOfWork(run) {
  return Math.min(await onceTimed(run), await onceTimed(run));
}

async function onceTimed(run) {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Times calls, and slow ones again later, since other load can only add to a time. */
async function timesOf(calls) {
  const timed = [];
  for (const call of calls) timed.push({ ...call, time: await timeOf(call.run) });
  for (let round = 0; round < ROUNDS; round++) {
    for (const call of timed.filter(({ kind, time }) => kind !== 'bounded' && time.ms > FLOOR_MS)) {
      const again = await timeOf(call.run);
      if (again.ms < call.time.ms) call.time = again;
    }
  }
  return timed;
}

/**
 * Returns the minimum time of several calls, since other load can only add to it, and whether a search ended before its page was full.
 */
async function timeOf(run) {
  const answer = await run();
  const { items, nextToken } = Object.values(answer)[0] ?? {};
  const times = [];
  for (let call = 0; call < CALLS; call++) times.push(await onceTimed(run));
  return { ms: Math.min(...times), isStep: Boolean(nextToken) && items.length < 100 };
}

function row({ what, kind, values }) {
  const [first, last] = [values[0], values.at(-1)];
  const growth = last.ms / first.ms;
  const bar = { read: MAX_GROWTH, write: MAX_WRITE_GROWTH, work: MAX_WORK_GROWTH, constant: MAX_GROWTH }[kind];
  const isCheap = (kind === 'read' || kind === 'write') && last.ms <= FLOOR_MS;
  const isStep = (kind === 'bounded' || last.isStep === true) && last.ms <= STEP_MS;
  const text = (ms) => ms.toFixed(kind === 'work' ? 4 : 1);
  return {
    what: values.length > 2 ? `${what} (${values.slice(1, -1).map(({ ms }) => text(ms))} between)` : what,
    ours: text(last.ms),
    peer: text(first.ms),
    ratio: growth.toFixed(2),
    target: targetOf(kind, bar),
    met: growth <= bar || isCheap || isStep,
  };
}

function targetOf(kind, bar) {
  if (kind === 'bounded') return `<= ${STEP_MS} ms`;
  if (kind === 'read') return `<= ${bar}, ${FLOOR_MS} ms, or a step`;
  return kind === 'write' ? `<= ${bar}, ${FLOOR_MS} ms` : `<= ${bar}`;
}
