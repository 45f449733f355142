// npm run soak [-- --minutes 3] [--fault "the nodes are rolled"]: three nodes behind a balancer, on a PostgreSQL with a standby, a
// store (TEST_S3_ENDPOINT), Redis and a mail server. Applications use all five services while nodes and dependencies fail one after
// another; at the end, every acknowledged change is compared with the stored data. Needs HAProxy, redis-server and the programs of
// PostgreSQL.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { freePort, ThreeNodes } from '../deploy/three-nodes.mjs';
import { prepare, root } from './prepare.mjs';

await prepare({ withTools: true });
const { steadyRequests } = await import('../test/containers/steady-requests.mjs');
const { hasPostgresPrograms, PostgresPair } = await import('../test/nodes/postgres-server.mjs');
const { Applications } = await import('../test/soak/applications.mjs');
const { FAULTS } = await import('../test/soak/faults.mjs');
const { OwnRedis, Way } = await import('../test/soak/parts.mjs');
const ROLLED = 'the nodes are rolled';
const KILLED = 'a node is killed';
const RECIPIENTS = 30;
const PAUSE_BETWEEN_FAULTS_MS = 4_000;
const BYSTANDER_PER_SECOND = 200;
const MOST_GAP_MS = 5_000;
const MOST_RECOVERY_MS = 5_000;
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '3' }, fault: { type: 'string', multiple: true } },
});
const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY } = process.env;
if (!hasPostgresPrograms || !TEST_S3_ENDPOINT) {
  console.error('PostgreSQL must be installed, and TEST_S3_ENDPOINT must name an S3 store: see CONTRIBUTING.md');
  process.exit(2);
}
const outcomes = [];
const stops = [];
try {
  await soak();
} catch (error) {
  outcomes.push({ name: 'the soak itself', found: [error.stack] });
} finally {
  for (const stop of stops.reverse()) await stop();
}
for (const { name, checked = '', found } of outcomes) {
  console.log(`${found.length === 0 ? 'ok     ' : 'FAILED '} ${name} ${checked}`);
  for (const one of found.slice(0, 10)) console.log(`        ${one}`);
}
const failed = outcomes.filter(({ found }) => found.length > 0).length;
console.log(`${outcomes.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function soak() {
  const parts = await startParts();
  const { applications } = parts;
  await applications.start(parts.three.address, parts.key, RECIPIENTS);
  const { caller, pushes, events, recipients, mails } = applications;
  await disturb({ ...parts, caller, pushes, events, recipients, bystander: () => bystanderOf(caller) });
  await applications.stop();
  outcomes.push(...(await applications.outcomes()));
  console.log(
    `${caller.requests} requests; ${mails.repeated} mails and ${events.repeated} events came twice, with one id, after a crash between ` +
      'sending and noting it',
  );
  console.log(mails.summary);
}

/** Starts the dependencies, each behind a proxy, three nodes that use the proxies, and the balancer. */
async function startParts() {
  const redis = await OwnRedis.start();
  stops.push(() => redis.stop());
  const applications = await Applications.create();
  stops.push(() => applications.remove());
  const postgres = await PostgresPair.start();
  stops.push(() => postgres.remove());
  const store = new URL(TEST_S3_ENDPOINT);
  const ways = {
    database: await Way.to('127.0.0.1', postgres.primary.port),
    redis: await Way.to('127.0.0.1', redis.port),
    store: await Way.to(store.hostname, Number(store.port || 80)),
    mail: await Way.to('127.0.0.1', applications.mail.port),
  };
  stops.push(() => Promise.all(Object.values(ways).map((way) => way.away())));
  const dataDir = mkdtempSync(join(tmpdir(), 'soak-'));
  stops.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const cli = (...args) => promisify(execFile)(process.execPath, ['dist/bundle/cli.js', ...args], { cwd: root });
  const key = (await cli('keys', 'generate')).stdout.trim();
  const settings = {
    DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://test@127.0.0.1:${ways.database.port}/postgres`,
    SECRET_KEY: randomUUID(),
    BOOTSTRAP_API_KEY: key,
    REDIS_URL: `redis://127.0.0.1:${ways.redis.port}`,
    S3_ENDPOINT: `http://127.0.0.1:${ways.store.port}`,
    S3_ACCESS_KEY: TEST_S3_ACCESS_KEY,
    S3_SECRET_KEY: TEST_S3_SECRET_KEY,
    S3_BUCKET: `soak-${randomUUID().slice(0, 8)}`,
    ...applications.settings,
    SMTP_URL: `smtp://127.0.0.1:${ways.mail.port}`,
    LOG_LEVEL: 'warn',
  };
  const three = await ThreeNodes.start(settings, await freePort());
  stops.push(() => three.stop());
  return { three, ways, postgres, redis, applications, key };
}

/** Injects the faults in a random order each round until the time is over. Checks those that applications must not notice. */
async function disturb(cluster) {
  const end = Date.now() + Number(values.minutes) * 60_000;
  const names = values.fault ?? Object.keys(FAULTS);
  for (let round = 1; round === 1 || Date.now() < end; round++) {
    for (const name of names.toSorted(() => Math.random() - 0.5)) {
      if (round > 1 && Date.now() > end) return;
      await cluster.applications.connected();
      await sleep(PAUSE_BETWEEN_FAULTS_MS);
      await oneFault(cluster, name, round);
    }
  }
}

async function oneFault(cluster, name, round) {
  const { caller, recipients, applications } = cluster;
  const [requestsBefore, begun] = [caller.requests, Date.now()];
  const found = (await FAULTS[name](cluster)) ?? [];
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
  await applications.connected();
  const failures = caller.failures.filter(({ at }) => at >= begun);
  const longestGapMs = Math.max(0, ...recipients.flatMap(({ gaps }) => gaps.filter(({ at }) => at >= begun)).map(({ ms }) => ms));
  const lastFailureMs = Math.max(0, ...failures.map(({ at }) => at - begun));
  const counted = `${caller.requests - requestsBefore} requests, ${failures.length} failed, the last after ${lastFailureMs} ms`;
  console.log(`${name}: ${seconds} s, ${counted}; longest time without a socket ${longestGapMs} ms`);
  if (name === ROLLED && failures.length > 0) found.push(...failures.map(({ reason }) => reason));
  if (name === ROLLED && longestGapMs > MOST_GAP_MS) found.push(`a recipient was without a socket for ${longestGapMs} ms`);
  if (name === KILLED && lastFailureMs > MOST_RECOVERY_MS) found.push(`requests failed until ${lastFailureMs} ms after it`);
  outcomes.push({ name: `${name}, round ${round}`, found });
}

/** Reads a file at a steady rate during the faults. */
function bystanderOf(caller) {
  return steadyRequests(BYSTANDER_PER_SECOND, () => caller.ask('file-management', '{files(limit:1){items{id name}}}'));
}
