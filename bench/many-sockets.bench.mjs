// Many idle sockets on one node, BENCH_SOCKETS or 100,000: memory per socket, processor time of heartbeats, a broadcast with its
// records, and a restart after which all clients reconnect within 30 s, while an ordinary caller sends a request every 50 ms. The peer
// is bare ws with the heartbeat from its manual. Then the poll for queued messages that a node runs every 5 s, with 100,000
// connections, on each database. Both sides have one process, or as many workers as the open-file limit requires, connected by the
// Redis of TEST_REDIS_URL; the clients have the same number of processes, each with a loopback address. Left out: TLS, proxies, kernel
// memory, the processor time of PostgreSQL and Redis, and several nodes; clients and server share the cores.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { watch } from './support/bystander.mjs';
import { Crowd, processesFor } from './support/crowd.mjs';
import { startOurs } from './support/broadcasters.mjs';
import { databases } from './support/postgres.mjs';
import { cpuSeconds, descendants, residentMib } from './support/process-usage.mjs';
import { report, skip } from './support/report.mjs';
import { environment, folder, start } from './support/servers.mjs';
import { register } from './support/sockets.mjs';

const SOCKETS = Number(process.env.BENCH_SOCKETS ?? 100_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const WORKERS = processesFor(SOCKETS);
const HEARTBEAT_SECONDS = 25;
const STALL_MS = 200;
/** Maximum time until deferred work is done. */
const SETTLED_MS = 5_000;
const MESSAGE = 'x'.repeat(200);
const PUSH_GLOBAL = 'mutation($message:String!){pushGlobalMessage(input:{message:$message}){id}}';
const DELIVERED =
  'query($id:ID,$after:String){messages(filter:{globalMessageId:$id,status:DELIVERED},limit:1000,nextToken:$after)' +
  '{items{createdAt deliveredAt} nextToken}}';

const LOOKING_NODE = fileURLToPath(new URL('./support/looking-node.mjs', import.meta.url));
const LOOKED_AT = 100_000;
const LOOKS_PER_MINUTE = 12;
const LOOK_PERCENT = 1;

const wanted = new Set((process.env.BENCH_PARTS ?? 'ours,bare,look').split(','));
if (WORKERS > 1 && !process.env.TEST_REDIS_URL) {
  skip(`many-sockets, since ${SOCKETS} sockets take ${WORKERS} workers here, and TEST_REDIS_URL is not set`);
  process.exit(0);
}
const database = WORKERS > 1 ? databases.at(-1) : databases[0];
const ours = wanted.has('ours') ? await measure(await ourSide()) : undefined;
const bare = wanted.has('bare') ? await measure(await bareSide()) : undefined;
const processes = WORKERS === 1 ? 'in one process' : `in ${WORKERS} workers, since a process may open too few files`;
if (ours) report(`many-sockets: ${SOCKETS} sockets ${processes}, ${database.name}, peer bare ws`, rows());
if (wanted.has('look')) {
  for (const kind of databases)
    report(`many-sockets: a look for waiting messages, ${LOOKED_AT} connections, ${kind.name}`, await look(kind));
}

async function ourSide() {
  const { settings, drop } = await database.create();
  const given = {
    ...settings,
    ...(WORKERS > 1 && { WORKERS: String(WORKERS), REDIS_URL: process.env.TEST_REDIS_URL }),
    WEBSOCKET_HEARTBEAT_SECONDS: String(HEARTBEAT_SECONDS),
    WEBSOCKET_MAX_CONNECTIONS: String(2 * SOCKETS),
    WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: String(2 * SOCKETS),
  };
  const server = await startOurs('many-sockets', given);
  await allServe(server);
  const { api } = server;
  let id;
  return {
    server,
    drop,
    requests: [{ path: '/health/live' }, version(api)],
    uris: () => register(api, SOCKETS),
    push: async () => ({ id } = (await api.ask(PUSH_GLOBAL, { message: MESSAGE })).pushGlobalMessage),
    delivered: () => deliveryTimes(api, id),
    restart: (PORT) => start('dist/main.js', { ...server.settings, PORT }),
  };
}

async function bareSide() {
  const settings = { WORKERS: String(WORKERS) };
  const server = await start('bench/peers/many-ws.mjs', settings);
  return {
    server,
    drop: () => undefined,
    requests: [{ path: '/' }, { path: '/' }],
    uris: async () => Array(SOCKETS).fill(`${server.address}/`),
    push: () => fetch(`${server.address}/push`, { method: 'POST', body: MESSAGE }),
    restart: (PORT) => start('bench/peers/many-ws.mjs', { ...settings, PORT }),
  };
}

function version({ url, headers }) {
  return { path: new URL(url).pathname, method: 'POST', headers, body: '{"query":"{version}"}' };
}

async function measure(side) {
  const { server, requests, uris, push, delivered, restart, drop } = side;
  const crowd = new Crowd(await uris());
  const empty = await heldMib(server);
  const idleBefore = await cpuOfInterval(server);
  const openSeconds = await crowd.open();
  progress(`all open after ${openSeconds.toFixed(1)} s`);
  const kb = ((await heldMib(server)) - empty) * (1024 / SOCKETS);
  const idle = await cpuOfInterval(server);
  const heartbeatUs = ((idle - idleBefore) * 1e6) / SOCKETS;
  progress(`a socket takes ${kb.toFixed(1)} KB, a heartbeat ${heartbeatUs.toFixed(1)} µs`);
  const sent = await broadcast(server, crowd, { push, requests, idlePerSecond: idle / HEARTBEAT_SECONDS });
  progress(`broadcast after ${sent.seconds.toFixed(2)} s`);
  const times = await delivered?.();
  const { herd, current } = await herdOf(server, crowd, { restart, requests });
  progress(`all back ${herd.seconds.back.toFixed(1)} s after the restart`);
  crowd.close();
  await current.stop();
  await drop();
  return { openSeconds, kb, heartbeatUs, broadcast: sent, delivered: times, herd };
}

function progress(text) {
  process.stdout.write(`${text}\n`);
}

/** Measures a broadcast without the heartbeats sent meanwhile. */
async function broadcast(server, crowd, { push, requests, idlePerSecond }) {
  const [before, begun] = [cpuOf(server), performance.now()];
  const caller = watch(server.address, requests);
  const seconds = await crowd.receive(push);
  const waits = await caller.stop();
  await delay(SETTLED_MS);
  const cpu = cpuOf(server) - before - (idlePerSecond * (performance.now() - begun)) / 1_000;
  return { seconds, cpu: cpu / SOCKETS, waits };
}

/** Restarts the server, and measures from its readiness until all clients have reconnected. */
async function herdOf(server, crowd, { restart, requests }) {
  const { back } = await crowd.scatter();
  const stopping = performance.now();
  await server.stop();
  const stopped = performance.now();
  const current = await restart(new URL(server.address).port);
  const ready = performance.now();
  await crowd.forget();
  const before = cpuOf(current);
  const caller = watch(server.address, requests);
  const { waits, failures } = await back;
  const backSeconds = (performance.now() - ready) / 1_000;
  const cpu = (cpuOf(current) - before) / SOCKETS;
  const seconds = { stop: (stopped - stopping) / 1_000, start: (ready - stopped) / 1_000, back: backSeconds };
  return { current, herd: { seconds, cpu, waits, failures, caller: await caller.stop() } };
}

/** Returns the milliseconds from push to DELIVERED of every message. All must be delivered. */
async function deliveryTimes(api, id) {
  const times = [];
  for (let tries = 0; times.length < SOCKETS; tries++) {
    if (tries > 60) throw new Error(`${times.length} of ${SOCKETS} messages were delivered`);
    if (tries > 0) await delay(1_000);
    times.length = 0;
    for (let after = null; after !== undefined;) {
      const { messages } = await api.ask(DELIVERED, { id, after });
      for (const { createdAt, deliveredAt } of messages.items) times.push(Date.parse(deliveredAt) - Date.parse(createdAt));
      after = messages.nextToken ?? undefined;
    }
  }
  return Float64Array.from(times).sort();
}

/** The node is ready once its first worker is. */
async function allServe({ address }) {
  const wanted = `\nworkers ${WORKERS}\n`;
  while (WORKERS > 1 && !(await (await fetch(`${address}/metrics`)).text()).includes(wanted)) await delay(500);
}

/** Returns the minimum resident memory during ordinary work that lasts long enough for garbage collection. */
async function heldMib(server) {
  const looks = [];
  const timer = setInterval(() => looks.push(all(server).reduce((sum, pid) => sum + residentMib(pid), 0)), 250);
  await autocannon({ url: `${server.address}/health/live`, connections: 50, duration: 2 * SECONDS });
  clearInterval(timer);
  return Math.min(...looks);
}

/** Returns the processor time of one heartbeat of all sockets, per socket. */
async function cpuOfInterval(server) {
  await delay(SETTLED_MS);
  const before = cpuOf(server);
  await delay(HEARTBEAT_SECONDS * 1_000);
  return cpuOf(server) - before;
}

function all({ pid }) {
  return [pid, ...descendants(pid)];
}

function cpuOf(server) {
  return all(server).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}

function rows() {
  const perMinute = 60 / HEARTBEAT_SECONDS;
  return [
    row('process memory of a socket, KB', ({ kb }) => kb.toFixed(1)),
    row('heartbeats: processor time a socket and minute, µs', ({ heartbeatUs }) => (heartbeatUs * perMinute).toFixed(1)),
    row('opening all at first, s', ({ openSeconds }) => openSeconds.toFixed(1)),
    row('broadcast: until the last frame, s', ({ broadcast: { seconds } }) => seconds.toFixed(2)),
    row('broadcast: processor time a delivery, µs', ({ broadcast: { cpu } }) => (cpu * 1e6).toFixed(1)),
    stall('broadcast: longest wait of a caller, ms', ({ broadcast: { waits } }) => waits.longest),
    {
      what: 'broadcast: DELIVERED, and the last after, s',
      ours: `${ours.delivered.length}, ${(ours.delivered.at(-1) / 1_000).toFixed(1)}`,
    },
    row('restart: until it has stopped, s', ({ herd }) => herd.seconds.stop.toFixed(1)),
    row('restart: until it is ready, s', ({ herd }) => herd.seconds.start.toFixed(1)),
    row('restart: until all are back, s', ({ herd }) => herd.seconds.back.toFixed(1)),
    row('restart: processor time a socket, µs', ({ herd }) => (herd.cpu * 1e6).toFixed(0)),
    row('restart: 99th percentile of handshakes, ms', ({ herd: { waits } }) => waits[Math.floor(waits.length * 0.99)].toFixed(0)),
    row('restart: 99th percentile of the waits of a caller, ms', ({ herd }) => herd.caller.p99.toFixed(0)),
    stall('restart: longest wait of a caller, ms', ({ herd }) => herd.caller.longest),
    failures('restart: failures of a caller', ({ herd }) => herd.caller.failures),
    failures('restart: failed handshakes', ({ herd }) => herd.failures),
  ];
}

/** Measures the poll in a separate process, with connections that have no sockets: a process may not open so many. */
async function look({ name, create }) {
  const { settings, drop } = await create();
  const env = environment({ DATA_DIR: join(folder, `look ${name}`), PORT: '0', LOG_LEVEL: 'error', ...settings });
  const child = fork(LOOKING_NODE, [String(LOOKED_AT)], { env });
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the node ended with ${code}`)));
  const [figures] = await Promise.race([once(child, 'message'), failed]);
  await failed.catch(() => undefined);
  await drop();
  return figures.map(({ what, ms, hasBar }) => {
    const percent = (ms * LOOKS_PER_MINUTE) / 600;
    const ours = `${ms.toFixed(1)} ms, ${percent.toFixed(2)} % of a core`;
    const judged = { target: `<= ${LOOK_PERCENT} %`, met: percent <= LOOK_PERCENT };
    return { what, ours, ratio: (percent / LOOK_PERCENT).toFixed(2), ...(hasBar && judged) };
  });
}

function row(what, figure) {
  const [own, peer] = [figure(ours), bare && figure(bare)];
  return { what, ours: own, ...(bare && { peer, ratio: (own / peer).toFixed(2) }) };
}

function stall(what, ms) {
  const longest = ms(ours);
  return { ...row(what, (side) => ms(side).toFixed(0)), target: `< ${STALL_MS}`, met: longest < STALL_MS };
}

function summary(counts) {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || '0'
  );
}

function failures(what, countsOf) {
  const counts = countsOf(ours);
  return { what, ours: summary(counts), peer: bare && summary(countsOf(bare)), target: '0', met: summary(counts) === '0' };
}
