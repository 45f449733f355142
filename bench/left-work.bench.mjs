// Work that the server continues after its callers disconnect: each query of all six schemas under as many aliases as it permits, in
// eight concurrent requests, and the expensive routes, with a heap of 1 GiB. Connections close after a second; processor time is
// counted from a second later until the server is idle. Then all of them at once, beside another tenant that reads a file, and beside
// one that reads it from another node with a separate database, to show the cost of callers and databases on the same processors. On
// SQLite; with TEST_DATABASE_URL also on PostgreSQL. BENCH_ONLY selects operations by name, BENCH_DATABASE one of the databases. Left
// out: processor time of PostgreSQL, mutations other than rendering, callers that stay connected, and several nodes.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ENDPOINTS } from '../scripts/schemas.mjs';
import { makeBusyTenant } from './support/busy-tenant.mjs';
import { FilesApi, READ_FILE } from './support/files-api.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { askAgainAndAgain, send, untilQuiet, Work, workAfterLeaving } from './support/leaving.mjs';
import { canMeasure, residentMib } from './support/process-usage.mjs';
import { databases } from './support/postgres.mjs';
import { report, skip } from './support/report.mjs';
import { createKey, folder, freePort, start } from './support/servers.mjs';
import { upload } from './support/transfers.mjs';
import { aliased, operationsOf } from './support/whole-schema.mjs';

const MAX_LEFT_MS = 100;
const MAX_SLOWER = 3;
const ALIASES = [100, 50, 20, 10, 5, 2, 1];
const RECORDS = Number(process.env.BENCH_RECORDS ?? 40_000);
const PATIENCE_MS = Number(process.env.BENCH_PATIENCE_MS ?? 10_000);
const ONLY = process.env.BENCH_ONLY?.split(',');
const READERS = 100;
const MIX_MS = 10_000;
const QUIET_MS = 3_000;
/** Requires one of two arguments, both optional in the schema. */
const IN_VAIN = 'file-management filesArchiveUrl, needed arguments';

const wantedDatabases = databases.filter(({ name }) => [undefined, name].includes(process.env.BENCH_DATABASE));
if (wantedDatabases.length === 0) throw new Error(`BENCH_DATABASE is one of ${databases.map(({ name }) => name).join(', ')}`);
if (canMeasure) for (const database of wantedDatabases) await measure(database);
else skip('work after callers left, which needs the processor times of Linux');

async function measure({ name, create }) {
  const { settings, drop } = await create();
  const data = { ...settings, DATA_DIR: join(folder, name) };
  const mail = { SMTP_URL: `smtp://127.0.0.1:${await freePort()}`, EMAIL_FROM: 'no-reply@sender.example' };
  const begin = () => start('dist/bundle/main.js', { ...data, ...mail, NODE_OPTIONS: '--max-old-space-size=1024' });
  const keyOf = (given) => createKey(data, undefined, given);
  const context = { begin, data, server: await begin(), keyOf, key: keyOf() };
  context.admin = keyOf({ tenant: 'platform-admin', scope: 'admin-api:query:* admin-api:mutation:*' });
  const { values, downloadUrl } = await makeBusyTenant(context.server.address, context.key, RECORDS);
  const tenantId = await tenantOf(context);
  Object.assign(values, { tenantId, 'tenant.id': tenantId });
  const wanted = (what) => !ONLY || ONLY.some((name) => what.includes(name));
  const operations = ENDPOINTS.flatMap((service) => operationsOf(service, values, ['sendMessage'])).filter(
    ({ what }) => wanted(what) && what !== IN_VAIN,
  );
  const routes = routesOf(context.key, downloadUrl).filter(({ what }) => wanted(what));
  await afresh(context);
  const rows = [];
  const mix = [];
  for (const operation of operations) rows.push(await ofOperation(context, operation, mix));
  for (const route of routes) {
    rows.push(await row(context, route.what, { ...route, read: false, atOnce: READERS }));
    if (route.path.startsWith('/document-log/export'))
      mix.push(...Array.from({ length: READERS }, () => ({ ...route, read: false })));
  }
  report(`left work: processor time from 1 s after the callers left until it is quiet, ms, ${name}`, rows);
  const elsewhere = await create();
  const other = { ...elsewhere.settings, DATA_DIR: join(folder, `${name}-other`) };
  const beside = [await besideAnother(context, mix, data), await besideAnother(context, mix, other)];
  report(
    `left work: all of them at once, beside file(ID) of another tenant; median wait, ms, against the same when quiet, ${name}`,
    beside,
  );
  await context.server.stop();
  await drop();
  await elsewhere.drop();
}

async function tenantOf({ server, admin }) {
  const { tenants } = await new GraphqlApi(server.address, 'admin', admin).ask('{tenants(name:"bench"){items{id}}}');
  return tenants.items[0].id;
}

function requestOf({ service, kind, field }, { key, admin }, count) {
  const headers = { 'content-type': 'application/json', 'x-api-key': service === 'admin' ? admin : key };
  const query = aliased({ kind, field }, count);
  return { path: `/${service}/graphql`, method: 'POST', headers, body: JSON.stringify({ query }) };
}

function routesOf(key, downloadUrl) {
  const headers = { 'x-api-key': key };
  const { pathname, search } = new URL(downloadUrl);
  const formats = ['ndjson', 'csv', 'bundle'].map((format) => `/document-log/export?format=${format}`);
  const paths = [...formats, pathname + search, '/key', '/metrics', '/health/ready', '/document-log-keys', '/studio/'];
  const routes = paths.map((path) => ({ what: `GET ${path.split(/[?/]content/)[0].slice(0, 60)}`, path, headers }));
  const html = { ...headers, accept: 'text/html' };
  return [...routes, { what: 'GET the console', path: '/document-log/graphql', headers: html }];
}

/** Finds the maximum number of aliases that the cost limit permits. The server checks the cost before any work. */
async function ofOperation(context, operation, mix) {
  for (const count of ALIASES) {
    const one = requestOf(operation, context, count);
    const { answered, leave } = send(context.server.address, one);
    const answer = await Promise.race([answered, delay(1_000)]);
    leave();
    if (answer?.text.includes('GRAPHQL_VALIDATION_FAILED') || answer?.status === 413) {
      if (count > 1) continue;
      throw new Error(`${operation.what} is not valid: ${answer.text.slice(0, 500)}`);
    }
    if (/"code":"(BAD_USER_INPUT|NOT_FOUND)"/.test(answer?.text))
      throw new Error(`${operation.what}: ${answer.text.slice(0, 500)}`);
    const failure = answer && /"errors":\[\{"message":"([^"]{1,80})/.exec(answer.text)?.[1];
    await untilQuiet(new Work(context.server.pid), PATIENCE_MS);
    mix.push(one);
    return row(context, `${operation.what}, ${count} times${failure ? ` (${failure})` : ''}`, one);
  }
}

async function row(context, what, one) {
  const { ms, isOpen } = await workAfterLeaving(context.server, one, { ...one, patienceMs: PATIENCE_MS });
  const isAlive =
    (await Promise.race([send(context.server.address, { path: '/health/live' }).answered, delay(5_000)]))?.status === 200;
  const memory = isAlive ? `${residentMib(context.server.pid).toFixed(0)} MiB` : 'gone or silent';
  if (isOpen || !isAlive) await afresh(context);
  const ours = `${isOpen ? '> ' : ''}${ms.toFixed(0)}`;
  process.stderr.write(`${ours.padStart(8)} ms  ${memory.padStart(9)}  ${what}\n`);
  return { what: `${what} (${memory})`, ours, target: `< ${MAX_LEFT_MS}`, met: isAlive && !isOpen && ms < MAX_LEFT_MS };
}

async function afresh(context) {
  await context.server.kill();
  context.server = await context.begin();
  await untilQuiet(new Work(context.server.pid), PATIENCE_MS);
}

async function besideAnother(context, mix, data) {
  await afresh(context);
  const { address } = context.server;
  const isElsewhere = data.DATA_DIR !== context.data.DATA_DIR;
  const node = isElsewhere ? await start('dist/bundle/main.js', data) : context.server;
  const files = new FilesApi(node.address, createKey(data, undefined, { tenant: 'neighbour' }));
  const { id, uploadUrl } = await files.create({ name: 'file.bin' });
  await upload(uploadUrl, 1_000);
  const body = JSON.stringify({ query: READ_FILE, variables: { id } });
  const ask = () =>
    askAgainAndAgain(node.address, { path: new URL(files.url).pathname, method: 'POST', headers: files.headers, body });
  const during = async (ms) => {
    const asking = ask();
    await delay(ms);
    return asking.stop();
  };
  await during(QUIET_MS); // warms it up
  const quiet = await during(QUIET_MS);
  const sent = mix.flatMap((one) => Array.from({ length: one.read === false ? 1 : 2 }, () => send(address, one, one)));
  const beside = await during(MIX_MS);
  for (const { leave } of sent) leave();
  const isAlive = (await Promise.race([send(address, { path: '/health/live' }).answered, delay(5_000)]))?.status === 200;
  if (isElsewhere) await node.stop();
  const ratio = beside.median / quiet.median;
  return {
    what: `${isElsewhere ? 'from another node: ' : ''}${sent.length} requests (${isAlive ? `${residentMib(context.server.pid, 'VmHWM').toFixed(0)} MiB` : 'ended the process'}, longest ${beside.longest?.toFixed(0)} ms, ${beside.failed} of ${beside.count + beside.failed} failed)`,
    ours: beside.median.toFixed(1),
    peer: quiet.median.toFixed(1),
    ratio: ratio.toFixed(1),
    ...(!isElsewhere && { target: `< ${MAX_SLOWER}`, met: isAlive && ratio < MAX_SLOWER }),
  };
}
