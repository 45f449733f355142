// Events: sending of stored events to a local receiver, compared with a bare loop of fetch; frequent operations of a tenant with a
// webhook, compared with a tenant without one on the same server, both while events are only recorded and while they are also sent; and
// the processor time of 10,000 events queued for a receiver that is down. On SQLite; with TEST_DATABASE_URL also on PostgreSQL, in a
// separate database. BENCH_DATABASE selects one of them. Left out: TLS, remote receivers, several nodes, and operations without a
// webhook compared with an earlier release, which `npm run bench -- compare` measures.
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { GraphqlApi } from './support/graphql-api.mjs';
import { CREATE_BATCH, record } from './support/log-records.mjs';
import { CONNECTIONS, OPERATIONS } from './support/operations.mjs';
import { databases } from './support/postgres.mjs';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { median, report, skip } from './support/report.mjs';
import { createKey, folder, freePort, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 6_000);
const WAITING = 10_000;
const WATCHED_MS = 20_000;
/** Time for a server to finish its start, its sealing and its first delivery attempts. */
const SETTLED_MS = 60_000;
const MAX_CORE = 0.01;
const TARGET_SEND = 0.5;
const TARGET_HOT = 0.85;
const BATCH = 2_000;
const CREATE = 'mutation($input:CreateWebhookInput!){createWebhook(input:$input){webhook{id}}}';
const GUARD = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true' };
/** Frequent operations, with the events that each creates. */
const HOT = {
  upload: ['file-management', 'FILE_DONE'],
  pushMessage: ['websockets-manager', 'MESSAGE_DELIVERED'],
  createLog: ['document-log', 'LOG_CREATED'],
  sendMessage: ['email', 'MESSAGE_SENT'],
};

const wanted = databases.filter(({ name }) => [undefined, name].includes(process.env.BENCH_DATABASE));
for (const database of wanted) await measure(database);

async function measure({ name, create }) {
  const { settings, drop } = await create();
  const smtpPort = String(await freePort());
  const mail = { SMTP_URL: `smtp://127.0.0.1:${smtpPort}`, EMAIL_FROM: 'no-reply@sender.example' };
  const data = { ...settings, DATA_DIR: join(folder, name), ...GUARD, ...mail };
  const context = {
    data,
    mails: await start('bench/peers/mail-server.mjs', { path: '/', SMTP_PORT: smtpPort }),
    server: await start('dist/bundle/main.js', data),
    receiver: await start('bench/peers/webhook-receiver.mjs', {}),
  };
  context.keyOf = () => createKey(data, undefined, { tenant: `tenant-${Math.random()}` });
  report(`events: sent to a receiver, events per second, peer a bare loop of fetch, ${name}`, [await sending(context)]);
  const rows = [];
  for (const [operation, of] of Object.entries(HOT)) {
    for (const isSent of [false, true]) rows.push(await hot(context, { operation, of, isSent }));
  }
  report(`events: requests per second with a webhook, peer without one, ${name}`, rows);
  for (const one of [context.server, context.receiver, context.mails]) await one.stop();
  await drop();
  if (canMeasure) report(`events: share of a core while the receiver is down, ${name}`, [await waiting({ name, create })]);
  else skip('the processor time of waiting events, which needs Linux');
}

async function listen({ server, key, url, of: [service, event] }) {
  const api = new GraphqlApi(server.address, service, key);
  return (await api.ask(CREATE, { input: { url, events: [event] } })).createWebhook.webhook.id;
}

async function createLogs({ server, key }, count) {
  const api = new GraphqlApi(server.address, 'document-log', key);
  for (let made = 0; made < count; made += BATCH) {
    await api.ask(CREATE_BATCH, { input: Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => record(index)) });
  }
}

/** Measures both sides at the receiver, from the first request to the last. */
async function sending({ server, receiver, keyOf }) {
  const key = keyOf();
  await listen({ server, key, url: receiver.address, of: HOT.createLog });
  const body = JSON.stringify({ specversion: '1.0', data: record(1) });
  const bare = await start('bench/peers/bare-fetch.mjs', { RECEIVER: receiver.address, EVENTS: String(EVENTS), BODY: body });
  const rounds = [];
  for (let round = -1; round < ROUNDS; round++) {
    const peer = await rateAt(receiver, () => fetch(bare.address, { method: 'POST' }));
    const ours = await rateAt(receiver, () => createLogs({ server, key }, EVENTS));
    if (round >= 0) rounds.push({ peer, ours });
  }
  await bare.stop();
  return row(`${EVENTS} events`, rounds, TARGET_SEND);
}

async function rateAt(receiver, begin) {
  await fetch(receiver.address, { method: 'DELETE' });
  await begin();
  for (;;) {
    const { count, firstAt, lastAt } = await (await fetch(receiver.address)).json();
    if (count >= EVENTS) return ((count - 1) * 1_000) / (lastAt - firstAt);
    await delay(20);
  }
}

/** Measures both tenants alternately on one server. */
async function hot({ server, receiver, mails, keyOf }, { operation, of, isSent }) {
  const ends = [];
  const beforeStop = (end) => ends.push(end);
  const keys = [keyOf(), keyOf()];
  await listen({ server, key: keys[0], url: isSent ? receiver.address : 'poll:', of });
  const loads = [];
  for (const key of keys) loads.push(await OPERATIONS[operation]({ address: server.address, key, beforeStop }));
  const rounds = [];
  for (let round = -1; round < ROUNDS; round++) {
    const rates = [];
    for (const load of loads) {
      rates.push((await autocannon({ connections: CONNECTIONS, duration: SECONDS, ...load })).requests.average);
      if (operation === 'sendMessage') await quiet(mails);
      if (isSent) await quiet(receiver);
    }
    if (round >= 0) rounds.push({ ours: rates[0], peer: rates[1] });
  }
  for (const end of ends) end();
  return row(`${operation}, events ${isSent ? 'sent' : 'recorded'}`, rounds, TARGET_HOT);
}

/** Waits until a receiver of events or mails is idle, so that no round includes work of the previous one. */
async function quiet(receiver) {
  for (let before = -1; ;) {
    const { count, mails = count } = await (await fetch(receiver.address)).json();
    if (mails === before) return;
    before = mails;
    await delay(500);
  }
}

/**
 * Measures a separate, otherwise idle server before and after its events are queued. The receiver is down, so the webhook pauses and
 * retries one event at a time.
 */
async function waiting({ name, create }) {
  const { settings, drop } = await create();
  const data = { ...settings, DATA_DIR: join(folder, `${name}-waiting`), ...GUARD };
  const server = await start('dist/bundle/main.js', data);
  await delay(SETTLED_MS);
  const quietShare = await shareOfCore(server);
  const key = createKey(data);
  await listen({ server, key, url: `http://127.0.0.1:${await freePort()}/`, of: HOT.createLog });
  await createLogs({ server, key }, WAITING);
  await delay(SETTLED_MS);
  const share = await shareOfCore(server);
  await server.stop();
  await drop();
  const added = Math.max(0, share - quietShare);
  const [ours, peer] = [share, quietShare].map((value) => `${(100 * value).toFixed(2)} %`);
  const what = `${WAITING} waiting events; peer the same server before them`;
  return { what, ours, peer, ratio: `+${(100 * added).toFixed(2)} %`, target: `< ${100 * MAX_CORE} %`, met: added < MAX_CORE };
}

async function shareOfCore({ pid }) {
  const before = 1_000 * cpuSeconds(pid);
  await delay(WATCHED_MS);
  return (1_000 * cpuSeconds(pid) - before) / WATCHED_MS;
}

function row(what, rounds, target) {
  const ratio = median(rounds.map(({ ours, peer }) => ours / peer));
  const of = (side) => median(rounds.map((round) => round[side])).toFixed(0);
  return { what, ours: of('ours'), peer: of('peer'), ratio: ratio.toFixed(2), target: `>= ${target}`, met: ratio >= target };
}
