// Two workers (WORKERS=2), connected by the Redis of TEST_REDIS_URL, compared with one process, on separate databases: `version`,
// `file(ID)`, `createFile`, uploads of 64 KiB, and `pushMessage` until all frames have arrived. Both sides alternate. Prints requests
// per second; then the throughput expected of two free cores, by the processor time per request of all processes of the node: twice the
// time of one process divided by that of two workers; then the same with the main thread of the one process, since its other threads
// can use the second core. With fewer than 4 cores, which load and database use too, the second value decides the target. Left out:
// processor time of PostgreSQL, Redis and the load generator, which share the machine; the network, TLS, an S3 store, waiting for a
// disk, and more than two workers.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { quiet } from './support/broadcasters.mjs';
import { FilesApi, READ_FILE } from './support/files-api.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { databases } from './support/postgres.mjs';
import { canMeasure, cpuSecondsOfAll, mainThreadSeconds } from './support/process-usage.mjs';
import { median, report, skip } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';
import { register, Sockets } from './support/sockets.mjs';
import { upload } from './support/transfers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const WANTED = process.env.BENCH_PARTS?.split(',');
/** Requests after which both workers run compiled code. Counted, since time says little on a busy machine. */
const WARM_UP_REQUESTS = 10_000;
const MOST_WARM_UP_SECONDS = 10;
const CONNECTIONS = 50;
const WORKERS = 2;
const TARGET = 1.7;
const CONTENT = Buffer.alloc(64 * 1024, 'content ');
const MESSAGE = 'x'.repeat(200);
const CREATE = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
const PUSH = 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id status} error{message}}}}';
const hasRoom = availableParallelism() >= WORKERS + 2;

/**
 * Workloads. Each creates its data, and returns a function that loads the server for some seconds and resolves to `count` and
 * `seconds`.
 */
const OPERATIONS = {
  version: async ({ files }) => asking(files, { query: '{version}' }),
  'file(ID)': async ({ files, filesApi }) => {
    const { id, uploadUrl } = await filesApi.create({ name: 'invoice.pdf' });
    await upload(uploadUrl, CONTENT.length);
    return asking(files, { query: READ_FILE, variables: { id } });
  },
  createFile: async ({ files }) => asking(files, { query: CREATE, variables: { input: { name: 'invoice.pdf' } } }),
  'PUT of 64 KiB':
    async ({ address, filesApi }) =>
    async (seconds) => {
      // Creates new files for each slice, since upload URLs soon expire; each connection has its own file.
      const made = await Promise.all(Array.from({ length: CONNECTIONS }, () => filesApi.create({ name: 'invoice.pdf' })));
      const requests = made.map(({ uploadUrl }) => ({ method: 'PUT', path: uploadUrl.slice(address.length), body: CONTENT }));
      return load({ url: address, setupClient: inTurn(requests), duration: seconds });
    },
  pushMessage: pushing,
};

if (!canMeasure || !process.env.TEST_REDIS_URL) {
  skip(`workers, since ${canMeasure ? 'TEST_REDIS_URL is not set' : 'processor time is read from /proc, which is not here'}`);
  process.exit(0);
}
for (const { name, create } of databases) {
  const sides = { one: await serve(`${name}-one`, await create(), 1), two: await serve(`${name}-two`, await create(), WORKERS) };
  const rows = [];
  for (const [what, prepare] of Object.entries(OPERATIONS)) {
    if (!WANTED || WANTED.includes(what)) rows.push(...rowsOf(what, await takeTurns(sides, prepare), name === 'PostgreSQL'));
  }
  for (const { stop } of Object.values(sides)) await stop();
  const judged = hasRoom
    ? 'requests per second'
    : `processor time, since ${availableParallelism()} cores are for node, load and database`;
  report(`workers on ${name}: ${WORKERS} against one process, ${CONNECTIONS} connections; judged by ${judged}`, rows);
}

async function serve(name, database, workers) {
  const redis = workers > 1 && { REDIS_URL: process.env.TEST_REDIS_URL };
  const settings = { ...database.settings, ...redis, DATA_DIR: join(folder, name), WORKERS: String(workers) };
  const server = await start('dist/bundle/main.js', settings);
  const { address, pid } = server;
  const key = createKey(settings);
  const isComplete = async () => /^workers 2$/m.test(await (await fetch(`${address}/metrics`)).text());
  while (workers > 1 && !(await isComplete())) await delay(50);
  const ends = [];
  const stop = async () => {
    for (const end of ends) end();
    await server.stop();
    await database.drop();
  };
  return {
    address,
    stop,
    files: new GraphqlApi(address, 'file-management', key),
    filesApi: new FilesApi(address, key),
    push: new GraphqlApi(address, 'websockets-manager', key),
    beforeStop: (end) => ends.push(end),
    cpu: () => cpuSecondsOfAll(pid),
    mainThread: () => mainThreadSeconds(pid),
  };
}

async function asking({ url, headers }, operation) {
  const request = { url, method: 'POST', headers, body: JSON.stringify(operation) };
  return (seconds) => load({ ...request, verifyBody: isGood, duration: seconds });
}

/** Pushes to one recipient per connection, on either worker. A slice ends once all frames have arrived. */
async function pushing({ push, beforeStop }) {
  const sockets = new Sockets();
  beforeStop(() => sockets.close());
  await sockets.open(await register(push, CONNECTIONS));
  const { pathname } = new URL(push.url);
  const requests = Array.from({ length: CONNECTIONS }, (_, index) => {
    const body = JSON.stringify({ query: PUSH, variables: { input: { recipients: [`r${index}`], message: MESSAGE } } });
    return { method: 'POST', path: pathname, headers: push.headers, body };
  });
  let each = 50;
  return async (wantedSeconds) => {
    const request = { url: push.url, setupClient: inTurn(requests), verifyBody: isGood, amount: each * CONNECTIONS };
    const seconds = await sockets.receive(each, () => load(request));
    const count = each * CONNECTIONS;
    each = Math.max(50, Math.round((count / seconds / CONNECTIONS) * wantedSeconds));
    return { count, seconds };
  };
}

function inTurn(requests) {
  let clients = 0;
  return (client) => client.setRequests([{ ...requests[clients++ % requests.length] }]);
}

function isGood(body) {
  return body.startsWith('{"data":{') && !body.includes('"errors"') && !body.includes('"error":{');
}

async function load(options) {
  const { requests, duration, errors, mismatches, non2xx, statusCodeStats } = await autocannon({
    ...options,
    connections: CONNECTIONS,
  });
  if (errors + mismatches + non2xx > 0) {
    throw new Error(`${errors} errors, ${mismatches} wrong answers, answers by status: ${JSON.stringify(statusCodeStats)}`);
  }
  return { count: requests.total, seconds: duration };
}

async function takeTurns(sides, prepare) {
  const loads = {};
  for (const [name, side] of Object.entries(sides)) {
    loads[name] = await prepare(side);
    let warmed = 0;
    for (let times = 0; times < MOST_WARM_UP_SECONDS && warmed < WARM_UP_REQUESTS; times++)
      warmed += (await loads[name](1)).count;
  }
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const measured = {};
    const order = round % 2 === 0 ? ['one', 'two'] : ['two', 'one']; // neither always follows the other
    for (const name of order) measured[name] = await slice(sides[name], loads[name]);
    rounds.push(measured);
  }
  return rounds;
}

async function slice({ cpu, mainThread }, loadFor) {
  await quiet(cpu);
  const before = { cpu: cpu(), main: mainThread() };
  const { count, seconds } = await loadFor(SECONDS);
  await quiet(cpu); // work that a server puts off counts too
  return {
    perSecond: count / seconds,
    micros: ((cpu() - before.cpu) * 1e6) / count,
    main: ((mainThread() - before.main) * 1e6) / count,
  };
}

function rowsOf(what, rounds, isJudged) {
  const middle = (of) => Math.round(median(rounds.map(of))).toLocaleString('en');
  const row = (unit, ours, peer, ratioOf, judges) => {
    const ratio = median(rounds.map(ratioOf));
    const judgement = { target: `>= ${TARGET}`, met: ratio >= TARGET };
    return {
      what: `${what}: ${unit}`,
      ours: middle(ours),
      peer: middle(peer),
      ratio: ratio.toFixed(2),
      ...(judges && judgement),
    };
  };
  const [one, two] = [({ one }) => one, ({ two }) => two].map((side) => (figure) => (round) => side(round)[figure]);
  const perCore = (figure) => (round) => (WORKERS * round.one[figure]) / round.two.micros;
  const throughput = ({ one, two }) => two.perSecond / one.perSecond;
  return [
    row('requests per second', two('perSecond'), one('perSecond'), throughput, isJudged && hasRoom),
    row('µs of processor time', two('micros'), one('micros'), perCore('micros'), isJudged && !hasRoom),
    row('µs, of one process the main thread', two('micros'), one('main'), perCore('main'), false),
  ];
}
