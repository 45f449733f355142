// The largest permitted operations, one after another, each with GET /health/live polled concurrently: the longest wait of other
// callers while the process works on one, and its memory growth. Left out: several such operations at once, callers of routes other
// than /health/live, and PostgreSQL.
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { GraphqlApi } from './support/graphql-api.mjs';
import { canMeasure, residentMib, resetPeak } from './support/process-usage.mjs';
import { report } from './support/report.mjs';
import { createKey, dataDir, start } from './support/servers.mjs';

const MAX_STALL_MS = 200;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const MIB = 1024 * 1024;
const FILES = 10_000;

const first = await start('dist/bundle/main.js');
const key = createKey();
const apis = (address) => (service) => new GraphqlApi(address, service, key);
await makeRecords(apis(first.address));
await first.stop();
makeFiles();

const server = await start('dist/bundle/main.js');
const to = apis(server.address);
const several = (count, field) => Array.from({ length: count }, (_, i) => `a${i}:${field}`).join(' ');
const ALL_OF_FILE =
  'id name active comment author{id name email profile} contentType contentLength status error{code message} createdAt updatedAt ' +
  'expiresAt externalReference uploaded public downloadUrl uploadUrl attributes{name value} checksumSha256';
const ALL_OF_LOG =
  'id documentId documentType attributeId attribute{id name} attributeNewValue{raw display} attributeOldValue{raw display} ' +
  'dateTime authorId author{id name profile} eventSource{id name} comment custom1 custom2 action createdAt updateAt edits{field}';

/** Operations at a limit: of the cost, the answer, the body or the document. */
const OPERATIONS = [
  ['10,000 files with both URLs', 'file-management', `{filesWithExternalReference(externalReference:"r",limit:${FILES}){id name status createdAt contentLength downloadUrl uploadUrl}}`],
  ['10,000 files with every field', 'file-management', `{filesWithExternalReference(externalReference:"r"){${ALL_OF_FILE}}}`],
  ['2 pages of 1,000 files with every field', 'file-management', `{${several(2, `files(limit:1000){items{${ALL_OF_FILE}}}`)}}`],
  ['20 MiB of stylesheets, 3 times', 'document-rendering', '{css{items{id a:text b:text c:text}}}'],
  ['a page of 1,000 log records with every field', 'document-log', `{logs(limit:1000){items{${ALL_OF_LOG}}}}`],
  ['a batch of 2,000 log records', 'document-log', `mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{item{${ALL_OF_LOG}}}}}`, { input: logRecords(2_000) }],
  ['a push of 48 KiB to 1,000 recipients', 'websockets-manager', 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id message}}}}', { input: { message: 'm'.repeat(48 * 1024), recipients: Array.from({ length: 1_000 }, (_, i) => `r${i}`), expiresAt: '2099-01-01' } }],
  ['a body of 15 MiB', 'email', '{version}', { x: 'x'.repeat(15 * MIB) }],
  ['a body of 199,000 small values', 'email', '{version}', { x: Array(199_000).fill(1) }],
  ['a document of 10,000 comments', 'email', `${'#\n'.repeat(9_990)}{version}`],
  ['a document with a text of 2 MiB', 'email', `{version @include(if:"""${`${'x'.repeat(200)}\n`.repeat(9_990)}""")}`],
  ['a document with 100 faults on its last line', 'email', `{version ${`${' '.repeat(200)}\n`.repeat(9_990)}${Array.from({ length: 100 }, (_, i) => `x${i}`).join(' ')}}`],
  ['a document of 49,000 tokens', 'email', `{${'version '.repeat(48_990)}}`],
]; // prettier-ignore

const rows = [];
for (const [what, service, query, variables] of OPERATIONS) rows.push(await measure(what, service, query, variables));
report(`largest operations: longest wait of GET /health/live beside them, ms, the best of ${ROUNDS} rounds`, rows);
await server.stop();

async function measure(what, service, query, variables) {
  let stallMs = Number.POSITIVE_INFINITY;
  let seconds = 0;
  let bytes = 0;
  let refusal = '';
  if (canMeasure) resetPeak(server.pid);
  const before = canMeasure ? residentMib(server.pid) : 0;
  for (let round = 0; round < ROUNDS; round++) {
    const watch = watchHealth();
    const startedAt = performance.now();
    const { url, headers } = to(service);
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    const text = await response.text();
    seconds = Math.max(seconds, (performance.now() - startedAt) / 1000);
    bytes = text.length;
    stallMs = Math.min(stallMs, await watch.end()); // other work of the machine only adds
    refusal = /"code":"(\w+)"/.exec(text.slice(0, 10_000))?.[1] ?? '';
  }
  const grown = canMeasure ? `, +${Math.round(residentMib(server.pid, 'VmHWM') - before)} MiB` : '';
  return {
    what: `${what} (${refusal && `${refusal}, `}${seconds.toFixed(1)} s, ${(bytes / MIB).toFixed(1)} MiB${grown})`,
    ours: stallMs.toFixed(0),
    target: `< ${MAX_STALL_MS}`,
    met: stallMs < MAX_STALL_MS,
  };
}

/** Polls on one connection, sending the next request as soon as the last is answered. */
function watchHealth() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let longestMs = 0;
  let isOver = false;
  const ask = () =>
    new Promise((resolve, reject) => {
      const askedAt = performance.now();
      get(`${server.address}/health/live`, { agent }, (response) => {
        response.resume().on('end', () => {
          longestMs = Math.max(longestMs, performance.now() - askedAt);
          resolve();
        });
      }).on('error', reject);
    });
  const watching = (async () => {
    while (!isOver) await ask();
  })();
  return {
    end: async () => {
      isOver = true;
      await watching;
      agent.destroy();
      return longestMs;
    },
  };
}

function logRecords(count) {
  return Array.from({ length: count }, (_, i) => ({
    documentId: `d${i % 10}`,
    documentType: 'invoice',
    dateTime: '2024-01-01T00:00:00Z',
    attribute: { id: `a${i}`, name: { en: 'Price', de: 'Preis' } },
    attributeNewValue: { raw: 'x'.repeat(1_000), display: 'x'.repeat(500) },
    attributeOldValue: { raw: 'y'.repeat(1_000), display: 'y'.repeat(500) },
    author: { id: 'u', name: 'Ada', profile: 'admin' },
    comment: 'c'.repeat(1_000),
    action: 'update',
  }));
}

async function makeRecords(api) {
  const batch = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}';
  await api('document-log').ask(batch, { input: logRecords(2_000) });
  const create = 'mutation($input:CreateCssInput!){createCss(input:$input){id}}';
  for (let i = 0; i < 20; i++)
    await api('document-rendering').ask(create, { input: { name: 's', text: `a{}"\n`.repeat(MIB / 5) } });
  await api('file-management').ask('mutation{createFile(input:{externalReference:"r"}){id}}');
}

/** Copies one row in the database, since creating each through the API would take too long. */
function makeFiles() {
  const db = new Sqlite(join(dataDir, 'platform-services.db'));
  const model = db.prepare('SELECT * FROM "File" LIMIT 1').get();
  const attributes = JSON.stringify(Array.from({ length: 5 }, (_, i) => ({ name: `name ${i}`, value: `value ${i}` })));
  const content = { status: 'done', blobKey: 'none', contentLength: 10, attributes };
  const columns = Object.keys(model);
  const insert = db.prepare(
    `INSERT INTO "File" (${columns.map((name) => `"${name}"`)}) VALUES (${columns.map((name) => `@${name}`)})`,
  );
  db.transaction(() => {
    for (let i = 1; i < FILES; i++) {
      const id = `${model.id.slice(0, 24)}${i.toString(16).padStart(12, '0')}`;
      insert.run({ ...model, ...content, id, blobKey: `none-${i}`, comment: 'c'.repeat(100), name: `file ${i}.pdf` });
    }
  })();
  db.close();
}
