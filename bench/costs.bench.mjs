// Processor time of each operation in the nodes, in PostgreSQL with all its processes, and in Redis, with 16 callers and the work that
// follows an answer: seals, confirmations, sent mails. Then the same for idle WebSockets, for a standby that replays the writes, and for
// the statements that reading one's own writes from a standby would need; the bytes of a row; and the machines for three numbers of
// users (support/capacity.mjs). Starts servers of its own, so other load changes these times less than any latency. Content goes to the
// S3 server of TEST_S3_ENDPOINT, or to a folder. BENCH_COSTS names a file for the costs (JSON), BENCH_PARTS operations by their names.
// Background work counts too, so an operation that a slow store holds up seems more expensive. Left out: the processor time of the store,
// of TLS and of a load balancer; waiting for a disk; vacuum, unless it starts by itself; larger tables (see growth).
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';
import { PostgresServer } from '../test/nodes/postgres-server.mjs';
import { capacityRows } from './support/capacity.mjs';
import { FilesApi } from './support/files-api.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { Installation, missing, postmasterOf } from './support/installation.mjs';
import { load } from './support/loaded-server.mjs';
import { CREATE_BATCH, record } from './support/log-records.mjs';
import { asking, CONNECTIONS, OPERATIONS } from './support/operations.mjs';
import { cpuSecondsOfAllEver } from './support/process-usage.mjs';
import { median, report, skip } from './support/report.mjs';
import { freePort, start } from './support/servers.mjs';
import { register, Sockets } from './support/sockets.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const SOCKETS = Number(process.env.BENCH_CONNECTIONS ?? 5_000);
const FILE = process.env.BENCH_COSTS;
const WANTED = process.env.BENCH_PARTS?.split(',');
const CHROMIUM = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';
const PAGE = 25;
const BATCH = 1_000;
const RECIPIENTS = 50;
const PDFS = 4;
const STATEMENTS = 5_000;
const IDLE_SECONDS = 6 * SECONDS;
const WARM_UP_CALLS = 5_000;
const MOST_WARM_UPS = 8;
const FILES = `query($limit:Int){files(limit:$limit){items{
  id name comment author{id name} contentType contentLength status createdAt updatedAt externalReference public attributes{name value}
} nextToken}}`;
const PUSH = 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id status} error{message}}}}';
const NOTHING = 'a minute without calls';
const TABLES = { File: 'file', Log: 'record', Message: 'message', Email: 'mail' };

if (missing) {
  skip(`costs, which need ${missing}`);
  process.exit(0);
}
const mailPort = await freePort();
const mail = await start('bench/peers/mail-server.mjs', { path: '/', SMTP_PORT: String(mailPort) });
const installation = await Installation.start({
  SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  EMAIL_FROM: 'no-reply@sender.example',
  ...(existsSync(CHROMIUM) && { CHROMIUM_PATH: CHROMIUM }),
  ...storeSettings(),
});
const { address } = await installation.addNode();
const { key, postgres } = installation;
const sockets = new Sockets();
const server = { address, key, beforeStop: () => undefined };
const api = (service) => new GraphqlApi(address, service, key);

const idle = await idleSockets();
const costs = {};
for (const [name, prepare] of Object.entries(operations())) {
  if (WANTED && !WANTED.includes(name)) continue;
  process.stderr.write(`${name} ...\n`);
  costs[name] = await measured(await prepare());
}
const bytes = await bytesOfRows();
const standby = WANTED ? undefined : await besideStandby();
reportAll();
sockets.close();
await installation.stop();
await mail.stop();

function storeSettings() {
  const { TEST_S3_ENDPOINT: S3_ENDPOINT, TEST_S3_ACCESS_KEY: S3_ACCESS_KEY, TEST_S3_SECRET_KEY: S3_SECRET_KEY } = process.env;
  return S3_ENDPOINT ? { S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET: `bench-${randomUUID()}` } : {};
}

/** Functions that create the data of an operation and resolve to one that repeats it and resolves to a count. */
function operations() {
  const repeated = (name) => async () => repeating(name, await OPERATIONS[name](server));
  return {
    'a file': repeated('file'),
    [`a page of ${PAGE} files`]: async () => {
      for (let made = 0; made < PAGE; made++)
        await new FilesApi(address, key).create({ name: `f${made}`, comment: 'To the customer' });
      return repeating('files', await asking(server, 'file-management', FILES, { limit: PAGE }));
    },
    'a file created': repeated('createFile'),
    'an upload of 64 KiB': uploading,
    'a download of 64 KiB': repeated('download'),
    'a record': repeated('createLog'),
    [`a record in a batch of ${BATCH}`]: async () => () => inBatches(),
    'a page of 100 records': repeated('logs'),
    'a push to one, confirmed': pushing,
    'a document rendered': repeated('render'),
    ...(existsSync(CHROMIUM) && { 'a PDF of a page': printing }),
    'a mail, sent': repeated('sendMessage'),
    'a record verified': async () => () => overLog(() => api('document-log').ask('{verifyLogs{__typename}}')),
    'a record exported': async () => () => overLog(exportLog),
  };
}

function repeating(what, request) {
  return async (seconds) => (await load(what, request, seconds)).count;
}

/** Repeats uploads, each of which replaces the content of a file. Their URLs soon expire, so each measurement needs new ones. */
async function uploading() {
  let request;
  const run = async (seconds) => (await load('uploads', request, seconds)).count;
  return Object.assign(run, { renew: async () => (request = await OPERATIONS.upload(server)) });
}

async function inBatches() {
  const input = Array.from({ length: BATCH }, (_, index) => record(index));
  for (let made = 0; made < 20; made++) await api('document-log').ask(CREATE_BATCH, { input });
  return 20 * BATCH;
}

async function pushing() {
  await sockets.open(await register(api('websockets-manager'), RECIPIENTS));
  let clients = 0;
  const setupClient = (client) => {
    const input = { recipients: [`r${clients++ % RECIPIENTS}`], message: 'x'.repeat(200) };
    client.setRequests([{ method: 'POST', body: JSON.stringify({ query: PUSH, variables: { input } }) }]);
  };
  const { url, headers } = api('websockets-manager');
  return async (seconds) => {
    const { requests, non2xx, errors } = await autocannon({
      url,
      headers,
      setupClient,
      connections: CONNECTIONS,
      duration: seconds,
    });
    if (non2xx + errors > 0) throw new Error(`${non2xx} refusals, ${errors} errors of pushes`);
    return requests.total;
  };
}

async function printing() {
  const rows = Array.from({ length: 25 }, (_, index) => `<tr><td>Item ${index}</td><td>${index * 1.5}</td></tr>`).join('');
  const body = `<!doctype html><html lang="en"><title>Invoice</title><h1>Invoice</h1><table>${rows}</table></html>`;
  await api('document-rendering').ask('mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', {
    input: { name: 'invoice', type: 'document', contentType: 'html', body },
  });
  const print = 'mutation($input:RenderFileInput!){renderFile(input:$input){fileId}}';
  return async () => {
    for (let made = 0; made < PDFS; made++)
      await api('document-rendering').ask(print, { input: { templateName: 'invoice', params: '{}' } });
    return PDFS;
  };
}

async function overLog(run) {
  await run();
  return Number(await postgres.run('SELECT count(*) FROM "Log"'));
}

async function exportLog() {
  const response = await fetch(`${address}/document-log/export`, { headers: { 'x-api-key': key } });
  if (response.status !== 200) throw new Error(`the export answered ${response.status}`);
  await response.body.pipeTo(new WritableStream());
}

/** Returns the median cost of several rounds, after calls that warm up. */
async function measured(run) {
  await run.renew?.();
  for (let times = 0, calls = 0; times < MOST_WARM_UPS && calls < WARM_UP_CALLS; times++) calls += await run(1);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    await run.renew?.();
    rounds.push(await installation.costOf(() => run(SECONDS)));
  }
  return medians(rounds);
}

function medians(rounds) {
  return Object.fromEntries(Object.keys(rounds[0]).map((name) => [name, median(rounds.map((round) => round[name]))]));
}

async function bytesOfRows() {
  const sizes = {};
  for (const [table, name] of Object.entries(TABLES)) {
    sizes[name] = Number(
      await postgres.run(`SELECT pg_total_relation_size('"${table}"') / greatest(count(*), 1) FROM "${table}"`),
    );
  }
  return sizes;
}

/** Measures a minute without calls, opens many connections, and measures another; before other work, whose remains would count. */
async function idleSockets() {
  const pause = () => delay(IDLE_SECONDS * 1_000);
  const minute = () => installation.costOf(async () => (await pause(), IDLE_SECONDS / 60));
  const quiet = await minute();
  const many = new Sockets();
  const opened = await installation.costOf(async () => {
    await many.open(await register(api('websockets-manager'), SOCKETS));
    return SOCKETS;
  });
  const connected = await minute();
  many.close();
  const idle = Object.keys(quiet).map((part) => [part, Math.max(0, connected[part] - quiet[part]) / SOCKETS]);
  return {
    [NOTHING]: quiet,
    'a WebSocket opened': opened,
    'a WebSocket, idle for a minute': Object.fromEntries(idle),
  };
}

/** Repeats the writes with a standby, and asks both servers for their position in the log. */
async function besideStandby() {
  const follower = await PostgresServer.follow(postgres);
  const replay = () => cpuSecondsOfAllEver(postmasterOf(follower));
  const found = {};
  for (const name of ['createFile', 'createLog']) {
    const run = repeating(name, await OPERATIONS[name](server));
    const before = replay();
    let count = 0;
    await run(2);
    const cost = await installation.costOf(async () => (count = await run(SECONDS)));
    found[name] = { ...cost, standby: ((replay() - before) * 1e6) / (count * (1 + 2 / SECONDS)) };
  }
  const position = await statement(postgres, 'SELECT pg_current_wal_insert_lsn()');
  const isReplayed = await statement(follower, "SELECT pg_last_wal_replay_lsn() >= '0/0'");
  await follower.remove();
  return { found, position, isReplayed };
}

/** Returns the microseconds of a statement in the database, and in the client that awaits it. */
async function statement(database, text) {
  const client = new pg.Client({ connectionString: database.urlOf('postgres') });
  await client.connect();
  const before = [cpuSecondsOfAllEver(postmasterOf(database)), process.cpuUsage()];
  for (let asked = 0; asked < STATEMENTS; asked++) await client.query({ name: 'position', text });
  const { user, system } = process.cpuUsage(before[1]);
  const seconds = cpuSecondsOfAllEver(postmasterOf(database)) - before[0];
  await client.end();
  return { postgres: (seconds * 1e6) / STATEMENTS, node: (user + system) / STATEMENTS };
}

function reportAll() {
  const text = ({ node, postgres, redis }) =>
    [node, postgres, redis].map((value) => value.toFixed(value < 10 ? 1 : 0)).join(' + ');
  const all = { ...costs, ...idle };
  const rows = (found, format) => Object.entries(found).map(([what, value]) => ({ what, ours: format(value) }));
  report('costs: µs of processor time of the nodes + PostgreSQL + Redis', rows(all, text));
  report(
    'costs: bytes of a row with its indexes',
    rows(bytes, (size) => size.toFixed(0)),
  );
  if (standby) reportStandby();
  if (!WANTED) report('costs: cores at a use of 60 %, nodes + PostgreSQL + Redis', capacityRows(all, bytes));
  if (FILE) writeFileSync(FILE, `${JSON.stringify({ costs: all, bytes, standby }, null, 2)}\n`);
}

function reportStandby() {
  const alone = { createFile: costs['a file created'], createLog: costs['a record'] };
  const writes = Object.entries(standby.found).map(([what, cost]) => ({
    what: `${what}, and ${cost.standby.toFixed(0)} of the standby`,
    ours: cost.postgres.toFixed(0),
    peer: alone[what].postgres.toFixed(0),
  }));
  report('costs: µs of PostgreSQL of a write with a standby, and without as peer', writes);
  report('costs: µs of PostgreSQL of a question for a position, and of its client as peer', [
    { what: 'position of a write', ours: standby.position.postgres.toFixed(0), peer: standby.position.node.toFixed(0) },
    {
      what: 'whether the standby has it',
      ours: standby.isReplayed.postgres.toFixed(0),
      peer: standby.isReplayed.node.toFixed(0),
    },
  ]);
}
