// Mails in place of unconfirmed messages: how late the slowest is decided and accepted by a mail server, for 1,000 that are due at once
// and for 10,000 that become due over a minute; and the processor time per mail. On SQLite; with TEST_DATABASE_URL also on PostgreSQL.
// Left out: TLS, slow mail servers, several tenants, and confirmed messages.
import { setTimeout as delay } from 'node:timers/promises';
import { GraphqlApi } from './support/graphql-api.mjs';
import { databases } from './support/postgres.mjs';
import { cpuSeconds } from './support/process-usage.mjs';
import { report } from './support/report.mjs';
import { createKey, freePort, start } from './support/servers.mjs';

const AT_ONCE = 1_000;
const OVER_TIME = Number(process.env.BENCH_MAILS ?? 10_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const PER_PUSH = 100;
const AFTER_MS = 5_000;
const MAX_LATE_MS = 5_000;
const TEXT = 'You have a new message.\n'.repeat(20);
const PUSH = 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id recipient createdAt}}}}';
const MESSAGES =
  'query($nextToken:String){messages(limit:1000,nextToken:$nextToken){nextToken items{recipient createdAt fallback{state at}}}}';

const rows = [];
for (const { name, create } of databases) {
  const { settings, drop } = await create();
  rows.push(await measure(`${name}: ${AT_ONCE} at once`, settings, (push) => push(AT_ONCE)));
  await drop();
  const other = await create();
  rows.push(await measure(`${name}: ${OVER_TIME} in ${SECONDS} s`, other.settings, overTime));
  await other.drop();
}
report('fallbacks: the latest decision and mail, from the time at which they are due', rows);

async function overTime(push) {
  const beganAt = performance.now();
  for (let done = 0; done < OVER_TIME; done += PER_PUSH) {
    await push(PER_PUSH);
    await delay(Math.max(0, (done / OVER_TIME) * SECONDS * 1_000 - (performance.now() - beganAt)));
  }
}

async function measure(what, settings, pushAll) {
  const port = await freePort();
  const mail = await start('bench/peers/mail-server.mjs', { path: '/', SMTP_PORT: String(port) });
  const own = { ...settings, SMTP_URL: `smtp://127.0.0.1:${port}`, EMAIL_FROM: 'no-reply@sender.example' };
  const server = await start('dist/bundle/main.js', own);
  const key = createKey(own, undefined, { tenant: `bench-${port}` });
  const api = new GraphqlApi(server.address, 'websockets-manager', key);
  const before = cpuSeconds(server.pid);
  let count = 0;
  await pushAll(async (amount) => {
    const recipients = Array.from({ length: amount }, () => `r${count++}`);
    const to = recipients.map((name) => ({ address: `${name}@example.com` }));
    const fallback = { after: AFTER_MS / 1_000, to, subject: 'News', textBody: TEXT };
    await api.ask(PUSH, { input: { recipients, message: 'm', fallback } });
  });
  const arrivals = await arrivedAll(mail.address, count);
  const messages = await allMessages(api);
  const cpu = (cpuSeconds(server.pid) - before) / count;
  await server.stop();
  await mail.stop();
  if (messages.length !== count || arrivals.length !== count)
    throw new Error(`${messages.length} messages, ${arrivals.length} mails`);
  const arrivedAt = new Map(arrivals);
  const decided = messages.map(({ createdAt, fallback }) => Date.parse(fallback.at) - Date.parse(createdAt) - AFTER_MS);
  const accepted = messages.map(
    ({ recipient, createdAt }) => arrivedAt.get(`${recipient}@example.com`) - Date.parse(createdAt) - AFTER_MS,
  );
  const latest = Math.max(...accepted);
  return {
    what,
    ours: `decided ${seconds(Math.max(...decided))}, accepted by SMTP ${seconds(latest)}, ${(cpu * 1e6).toFixed(0)} µs each`,
    target: `< ${seconds(MAX_LATE_MS)}`,
    met: latest < MAX_LATE_MS,
  };
}

async function arrivedAll(address, count) {
  while ((await (await fetch(address)).json()).mails < count) await delay(100);
  return (await fetch(`${address}/arrivals`)).json();
}

async function allMessages(api) {
  const found = [];
  let nextToken = null;
  do {
    const { messages } = await api.ask(MESSAGES, { nextToken });
    found.push(...messages.items.filter(({ fallback }) => fallback.state === 'SENT'));
    ({ nextToken } = messages);
  } while (nextToken);
  return found;
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`;
}
