// Clients that lose their connections at random, and a rolling deploy in the middle: the share of messages shown to the application,
// those shown twice, and the time until the last client is back after the deploy. Over WebSockets and over server-sent events, with
// BENCH_CLIENTS or 10,000 connections of the JavaScript client, on PostgreSQL and Redis. Left out: TLS, browsers, and the network:
// clients, proxy and server share one machine.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GraphqlApi } from './support/graphql-api.mjs';
import { createPostgres, hasPostgres } from './support/postgres.mjs';
import { report, skip } from './support/report.mjs';
import { createKey, start } from './support/servers.mjs';
import { register } from './support/sockets.mjs';

const PROXY = fileURLToPath(new URL('./support/dropping-proxy.mjs', import.meta.url));
const HERD = fileURLToPath(new URL('./support/dropped-clients.mjs', import.meta.url));
const CLIENTS = Number(process.env.BENCH_CLIENTS ?? 10_000);
const PER_PROCESS = 2_500;
const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 20);
const EVERY_MS = Number(process.env.BENCH_EVERY_MS ?? 2_000);
/** Share of the connections broken per second. */
const DROPS = 0.02;
const MAX_BACK_SECONDS = 5;
const ARRIVED_MS = 120_000;
const PUSH = 'mutation($input:GlobalMessageInput!){pushGlobalMessage(input:$input){id}}';
const { TEST_REDIS_URL } = process.env;

if (!hasPostgres || !TEST_REDIS_URL) skip('drops, since TEST_DATABASE_URL or TEST_REDIS_URL is not set');
else {
  for (const transport of (process.env.BENCH_PARTS ?? 'sockets,events').split(','))
    report(
      `drops: ${CLIENTS} clients, ${100 * DROPS} % of the connections broken per second, a rolling deploy`,
      await measure(transport),
    );
}

async function measure(transport) {
  const { settings, drop } = await createPostgres();
  const own = {
    ...settings,
    REDIS_URL: TEST_REDIS_URL,
    WEBSOCKET_MAX_CONNECTIONS: String(2 * CLIENTS),
    WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: String(2 * CLIENTS),
  };
  const server = await start('dist/bundle/main.js', own);
  const key = createKey(own, undefined, { tenant: `drops-${transport}` });
  const herds = Array.from({ length: Math.ceil(CLIENTS / PER_PROCESS) }, () => fork(HERD, [transport]));
  const proxies = herds.map(() => fork(PROXY)); // one would have too many open files
  const ports = await Promise.all(proxies.map(async (proxy) => (await once(proxy, 'message'))[0].port));
  const lead = (given) => Promise.all(proxies.map((proxy) => ask(proxy, given)));
  await lead({ target: portOf(server) });
  const uris = await register(new GraphqlApi(server.address, 'websockets-manager', key), CLIENTS);
  const shares = herds.map((_, index) =>
    uris.slice(index * PER_PROCESS, (index + 1) * PER_PROCESS).map((uri) => uri.replace(/:\d+\//, `:${ports[index]}/`)),
  );
  const opened = performance.now();
  await Promise.all(herds.map((herd, index) => ask(herd, { open: shares[index] })));
  process.stdout.write(`${transport}: all open after ${((performance.now() - opened) / 1_000).toFixed(1)} s\n`);
  let pushed = 0;
  const push = async ({ address }, count) => {
    const api = new GraphqlApi(address, 'websockets-manager', key);
    for (const end = pushed + count; pushed < end; pushed++) {
      const expiresAt = new Date(Date.now() + 600_000).toISOString();
      await Promise.all([api.ask(PUSH, { input: { message: `m${pushed}`, expiresAt } }), delay(EVERY_MS)]);
    }
  };
  await lead({ drops: DROPS });
  await push(server, MESSAGES / 2);
  const { next, seconds } = await deploy(server, { own, lead, herds, push });
  await lead({ drops: DROPS });
  await push(next, MESSAGES / 2);
  const broken = (await lead({ drops: 0 })).reduce((sum, one) => sum + one.broken, 0);
  const { shown, repeated } = await allShown(herds, CLIENTS * pushed);
  for (const child of [...proxies, ...herds]) child.disconnect();
  await next.stop();
  await drop();
  const percent = (100 * shown) / (CLIENTS * pushed);
  return [
    { what: `${transport}: connections broken`, ours: String(broken) },
    { what: `${transport}: received, %`, ours: String(percent), target: '100', met: percent === 100 },
    { what: `${transport}: shown twice`, ours: String(repeated), target: '0', met: repeated === 0 },
    {
      what: `${transport}: last one back after the deploy, s`,
      ours: seconds.toFixed(1),
      target: `<= ${MAX_BACK_SECONDS}`,
      met: seconds <= MAX_BACK_SECONDS,
    },
  ];
}

/** Starts the next node, leads new connections to it and stops the old one, while a message is pushed. */
async function deploy(server, { own, lead, herds, push }) {
  const next = await start('dist/bundle/main.js', own);
  await lead({ drops: 0, target: portOf(next) });
  const since = Date.now();
  const [seconds] = await Promise.all([allBack(herds, since), push(next, 1), server.stop()]);
  return { next, seconds };
}

async function allBack(herds, since) {
  for (;;) {
    const counts = await Promise.all(herds.map((herd) => ask(herd, { since })));
    if (counts.reduce((sum, { back }) => sum + back, 0) === CLIENTS)
      return (Math.max(...counts.map(({ lastAt }) => lastAt)) - since) / 1_000;
    await delay(100);
  }
}

/** Returns what the applications were shown, once that is everything, or after a limit. */
async function allShown(herds, expected) {
  for (const from = performance.now(); ; await delay(500)) {
    const counts = await Promise.all(herds.map((herd) => ask(herd, { count: true })));
    const shown = counts.reduce((sum, one) => sum + one.shown, 0);
    const repeated = counts.reduce((sum, one) => sum + one.repeated, 0);
    if (shown >= expected || performance.now() - from > ARRIVED_MS) return { shown, repeated };
  }
}

async function ask(child, message) {
  child.send(message);
  return (await once(child, 'message'))[0];
}

function portOf({ address }) {
  return Number(new URL(address).port);
}
