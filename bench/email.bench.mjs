// Mails: acceptance, compared with `version`; acceptance of 1,000 mails in calls of 100, compared with one per call; sending of
// accepted mails through a local mail server, compared with bare nodemailer over the same number of connections; the same for a domain
// signed with RSA and Ed25519, compared with unsigned mails; and the memory used by attachments of 20 MB. On SQLite; with
// TEST_DATABASE_URL also on PostgreSQL, in a separate database. Left out: TLS, tenants' own senders, mail servers that are slow or
// reject mail, and attachments in timed mails.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { FilesApi } from './support/files-api.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { canMeasure, residentMib, resetPeak } from './support/process-usage.mjs';
import { hasPostgres, query, withPostgres } from './support/postgres.mjs';
import { median, report } from './support/report.mjs';
import { createKey, dataDir, freePort, start } from './support/servers.mjs';
import { upload } from './support/transfers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const MAILS = Number(process.env.BENCH_MAILS ?? 2_000);
const ATTACHED = 20 * 1024 * 1024;
const WITH_ATTACHMENT = 20;
const TARGET_ACCEPT = 0.5;
const BATCHED = 1_000;
const BATCH = 100;
const TARGET_BATCH = 5;
const TARGET_SEND = 0.7;
const TARGET_SIGNED = 1.5;
const TARGET_MIB = 100;
const FROM = 'no-reply@sender.example';
const SIGNED_DOMAIN = 'signed.example';
const DOMAIN = 'mutation($domain:String!){createEmailDomain(domain:$domain){status}}';
const SEND = 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}';
const SEND_MANY = 'mutation($input:SendMessagesInput!){sendMessages(input:$input){id error{message}}}';
const TEXT = 'Thank you for your order. It is on its way.\n'.repeat(20);
const CONTENT = { subject: 'Your order', htmlBody: `<h1>Your order</h1><p>${TEXT}</p>`, textBody: TEXT };
const BARE = { path: '/', MAILS: String(MAILS), CONTENT: JSON.stringify(CONTENT) };

const rows = [...(await measure('SQLite', {}))];
if (hasPostgres) rows.push(...(await withPostgres((own) => measure('PostgreSQL', { DATABASE_URL: own }))));
report(
  `email: sendMessage per second, peer version; mails accepted per second in calls of ${BATCH}, peer sendMessage; mails sent per second of ${MAILS}, peer bare nodemailer; µs of a signed mail, peer one that is not; memory`,
  rows,
);

async function measure(what, settings) {
  const rows = [
    await accepting(what, settings),
    await batching(what, settings),
    await sending(what, settings),
    await signing(what, settings),
  ];
  return canMeasure ? [...rows, await memory(what, settings)] : rows;
}

/** Sends mails to a closed port, to measure acceptance alone. The peer has the same background work. */
async function accepting(what, settings) {
  const smtp = `smtp://127.0.0.1:${await freePort()}`;
  const server = await start('dist/bundle/main.js', { ...settings, SMTP_URL: smtp, EMAIL_FROM: FROM });
  const api = new GraphqlApi(server.address, 'email', createKey(settings));
  const send = { query: SEND, variables: { input: { to: { address: 'ann@example.com' }, ...CONTENT } } };
  const version = { query: '{version}' };
  const load = { connections: 50, seconds: SECONDS };
  for (const operation of [version, send]) await api.load(operation, { ...load, seconds: 2 });
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { requests } = await api.load(version, load);
    rounds.push({ peer: requests.average, ours: (await api.load(send, load)).requests.average });
  }
  await server.stop();
  return figures(`${what}, accepting`, rounds, TARGET_ACCEPT);
}

/** Sends 1,000 mails over four connections, each with a distinct address and text. */
async function batching(what, settings) {
  const smtp = `smtp://127.0.0.1:${await freePort()}`;
  const server = await start('dist/bundle/main.js', { ...settings, SMTP_URL: smtp, EMAIL_FROM: FROM });
  const api = new GraphqlApi(server.address, 'email', createKey(settings));
  const mails = Array.from({ length: BATCHED }, (_, index) => ({ to: { address: `p${index}@example.com` }, ...CONTENT }));
  const calls = Array.from({ length: BATCHED / BATCH }, (_, index) => mails.slice(index * BATCH, (index + 1) * BATCH));
  const single = (input) => api.ask(SEND, { input });
  const many = async (messages) => {
    const { sendMessages } = await api.ask(SEND_MANY, { input: { messages } });
    if (sendMessages.some(({ id }) => !id)) throw new Error('a message was refused');
  };
  const rounds = [];
  for (let round = -1; round < ROUNDS; round++) {
    const peer = (BATCHED * 1000) / (await timeOf(mails, single));
    const ours = (BATCHED * 1000) / (await timeOf(calls, many));
    if (round >= 0) rounds.push({ peer, ours });
  }
  await server.stop();
  return figures(`${what}, calls of ${BATCH}`, rounds, TARGET_BATCH);
}

/** Returns the milliseconds that all calls take over four connections. */
async function timeOf(inputs, call) {
  const queue = [...inputs];
  const beganAt = performance.now();
  const worker = async () => {
    for (let input = queue.shift(); input; input = queue.shift()) await call(input);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return performance.now() - beganAt;
}

/**
 * Measures both sides at the mail server, from the first mail to the last, with the sending process already running. All of our mails
 * are accepted beforehand, as during an outage of the mail server.
 */
async function sending(what, settings) {
  const port = await freePort();
  const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, EMAIL_FROM: FROM };
  const server = await start('dist/bundle/main.js', { ...settings, ...env });
  const bare = await start('bench/peers/bare-nodemailer.mjs', { ...env, ...BARE });
  const api = new GraphqlApi(server.address, 'email', createKey(settings));
  const rounds = [];
  for (let round = -1; round < ROUNDS; round++) {
    const peer = await rateOf(port, () => fetch(bare.address, { method: 'POST' }));
    const ours = await rateOfWaiting(port, { api, settings });
    if (round >= 0) rounds.push({ peer, ours });
  }
  await bare.stop();
  await server.stop();
  return figures(`${what}, sending`, rounds, TARGET_SEND);
}

/** Alternates signed and unsigned mails on one server. No name server has the domain's records, so it is verified in the database. */
async function signing(what, settings) {
  const port = await freePort();
  const server = await start('dist/bundle/main.js', { ...settings, SMTP_URL: `smtp://127.0.0.1:${port}`, EMAIL_FROM: FROM });
  const api = new GraphqlApi(server.address, 'email', createKey(settings));
  await api.ask(DOMAIN, { domain: SIGNED_DOMAIN });
  await execute(settings, `UPDATE "EmailDomain" SET "status" = 'VERIFIED', "hasEd25519" = TRUE, "dueAt" = NULL`);
  const rounds = [];
  for (let round = -1; round < ROUNDS; round++) {
    const peer = 1e6 / (await rateOfWaiting(port, { api, settings }));
    const ours = 1e6 / (await rateOfWaiting(port, { api, settings, from: { address: `shop@${SIGNED_DOMAIN}` } }));
    if (round >= 0) rounds.push({ peer, ours });
  }
  await server.stop();
  const row = figures(`${what}, signing`, rounds, TARGET_SIGNED);
  return { ...row, target: `<= ${TARGET_SIGNED}`, met: Number(row.ratio) <= TARGET_SIGNED };
}

/** Accepts mails while the mail server is down, and returns the rate at which they are sent once it is up. */
async function rateOfWaiting(port, { api, settings, from }) {
  const input = { to: { address: 'ann@example.com' }, from, ...CONTENT };
  for (let done = 0; done < MAILS; done += 50) await Promise.all(Array.from({ length: 50 }, () => api.ask(SEND, { input })));
  return rateOf(port, () => makeDue(settings));
}

/** Returns the rate at which a mail server received mails, after the sender was told to start. */
async function rateOf(port, begin) {
  const mail = await mailServer(port);
  await begin();
  const { firstAt, lastAt } = await mail.took(MAILS);
  await mail.stop();
  return ((MAILS - 1) * 1000) / (lastAt - firstAt);
}

/** Ends the retry pauses of mails that failed while the mail server was down. */
async function makeDue(settings) {
  await execute(settings, `UPDATE "Email" SET "dueAt" = "createdAt" WHERE "status" = 'QUEUED' AND "leaseHolder" IS NULL`);
}

async function execute({ DATABASE_URL }, sql) {
  if (DATABASE_URL) await query(DATABASE_URL, sql);
  else new Sqlite(join(dataDir, 'platform-services.db'), { timeout: 5_000 }).exec(sql).close();
}

async function mailServer(port) {
  const server = await start('bench/peers/mail-server.mjs', { path: '/', SMTP_PORT: String(port) });
  const took = async (count) => {
    for (;;) {
      const state = await (await fetch(server.address)).json();
      if (state.mails >= count) return state;
      await delay(50);
    }
  };
  return { url: `smtp://127.0.0.1:${port}`, took, stop: server.stop };
}

async function memory(what, settings) {
  const port = await freePort();
  const mail = await mailServer(port);
  const server = await start('dist/bundle/main.js', { ...settings, SMTP_URL: mail.url, EMAIL_FROM: FROM });
  const key = createKey(settings);
  const api = new GraphqlApi(server.address, 'email', key);
  const files = new FilesApi(server.address, key);
  const { id, uploadUrl } = await files.create({ name: 'large.bin' });
  await upload(uploadUrl, ATTACHED);
  const input = { to: { address: 'ann@example.com' }, ...CONTENT };
  for (let index = 0; index < 20; index++) await api.ask(SEND, { input });
  await mail.took(20);
  const before = residentMib(server.pid);
  resetPeak(server.pid);
  const attachments = [{ name: 'large.bin', fileId: id }];
  await Promise.all(Array.from({ length: WITH_ATTACHMENT }, () => api.ask(SEND, { input: { ...input, attachments } })));
  await mail.took(20 + WITH_ATTACHMENT);
  const grown = residentMib(server.pid, 'VmHWM') - before;
  await server.stop();
  await mail.stop();
  return {
    what: `${what}, ${WITH_ATTACHMENT} mails of 20 MB`,
    ours: `${grown.toFixed(0)} MiB`,
    target: `< ${TARGET_MIB} MiB`,
    met: grown < TARGET_MIB,
  };
}

function figures(what, rounds, target) {
  const ratio = median(rounds.map(({ ours, peer }) => ours / peer));
  const of = (name) => median(rounds.map((round) => round[name])).toFixed(0);
  return { what, ours: of('ours'), peer: of('peer'), ratio: ratio.toFixed(2), target: `>= ${target}`, met: ratio >= target };
}
