// Requests per second of REST routes, compared with the same operations with the same fields by GraphQL, on one server. Both sides
// alternate within one run; a ratio is the median of the ratios of each round. On SQLite. Left out: uploads of content, which
// files-parallel measures by PUT; PostgreSQL, since the statements are the same; a mail server.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { median, report } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const WARM_UP_SECONDS = Math.min(3, SECONDS);
const CONNECTIONS = 50;
const PAGE = 100;
const TARGET = 0.9;
const FIELDS = ['id', 'name', 'comment', 'contentType', 'contentLength', 'status', 'createdAt', 'downloadUrl', 'uploadUrl'];

const settings = { DATA_DIR: join(folder, 'rest') };
const server = await start('dist/bundle/main.js', settings);
const headers = { 'content-type': 'application/json', 'x-api-key': createKey(settings) };

const byRest = (method, path, body) => ({ method, path: `/v1${path}`, ...(body && { body: JSON.stringify(body) }) });
const byGraphql = (service, query, variables) => ({
  method: 'POST',
  path: `/${service}/graphql`,
  body: JSON.stringify({ query, variables }),
});

async function ask({ method, path, body }) {
  const response = await fetch(`${server.address}${path}`, { method, headers, body });
  const answer = await response.json();
  assert.ok(response.ok && !answer.errors, JSON.stringify(answer));
  return answer;
}

async function load(request, seconds) {
  const before = canMeasure ? cpuSeconds(server.pid) : 0;
  const options = { ...request, url: `${server.address}${request.path}`, headers, connections: CONNECTIONS, duration: seconds };
  const { requests, duration, non2xx, errors } = await autocannon(options);
  assert.equal(non2xx + errors, 0, request.path);
  const cpuMicros = ((canMeasure ? cpuSeconds(server.pid) : 0) - before) * 1e6;
  return { perSecond: requests.total / duration, micros: cpuMicros / requests.total };
}

async function row(what, rest, graphql, target = TARGET) {
  for (const request of [rest, graphql]) {
    await ask(request);
    await load(request, WARM_UP_SECONDS);
  }
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push([await load(rest, SECONDS), await load(graphql, SECONDS)]);
  const figure = (side) => {
    const perSecond = Math.round(median(rounds.map((round) => round[side].perSecond))).toLocaleString('en');
    return canMeasure ? `${perSecond} (${Math.round(median(rounds.map((round) => round[side].micros)))} µs)` : perSecond;
  };
  const ratio = median(rounds.map(([ours, peer]) => ours.perSecond / peer.perSecond));
  return { what, ours: figure(0), peer: figure(1), ratio: ratio.toFixed(2), target: `>= ${target}`, met: ratio >= target };
}

const { id } = await ask(byRest('POST', '/files', { name: 'invoice.pdf', comment: 'Sent on the day of the order' }));
for (let made = 1; made < PAGE; made++) await ask(byRest('POST', '/files', { name: `${made}.pdf` }));
const fields = FIELDS.join();
const mail = { to: [{ address: 'ann@example.com' }], subject: 'Hello', textBody: 'Hello, Ann' };
const record = {
  documentId: 'INV-17',
  documentType: 'invoice',
  dateTime: '2026-11-21T10:00:00Z',
  attributeNewValue: { raw: 'paid' },
};
const selected = `{${FIELDS.join(' ')}}`;

const rows = [
  await row(
    'GET a file, 9 fields',
    byRest('GET', `/files/${id}?fields=${fields}`),
    byGraphql('file-management', `query($id:ID!){file(ID:$id)${selected}}`, { id }),
  ),
  await row(
    `GET a page of ${PAGE} files`,
    byRest('GET', `/files?fields=${fields}`),
    byGraphql('file-management', `{files{nextToken items${selected}}}`),
  ),
  await row(
    'POST a log record',
    byRest('POST', '/logs?fields=itemId', record),
    byGraphql('document-log', 'mutation($i:CreateLogInput!){createLog(input:$i){itemId}}', { i: record }),
  ),
  await row(
    'POST an email',
    byRest('POST', '/emails', mail),
    byGraphql('email', 'mutation($i:SendMessageInput!){sendMessage(input:$i){id}}', { i: mail }),
  ),
];
report(`rest: requests per second at ${CONNECTIONS} connections, GraphQL as peer`, rows);
await server.stop();
