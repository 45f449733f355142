// Requests per second of the GraphQL endpoints: `version` compared with Apollo on Fastify that answers from memory; `file(ID)` and a
// page of 100 files compared with a plain Nest + Apollo + Express program on the same rows; all three on SQLite with Nest on Mercurius
// with its compiler; on PostgreSQL also with PostGraphile 5 if BENCH_POSTGRAPHILE is set (see peers/postgraphile.mjs); frequent
// operations compared with our own `version`. All sides alternate
// within one run, since the speed of a machine drifts; a ratio is the median of the ratios of each round. On SQLite; with
// TEST_DATABASE_URL also on PostgreSQL. Left out: request logs, which LOG_LEVEL=warn omits; keys, tenants, signed URLs, limits and
// metrics on PostGraphile's side, which has none; a mail server.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { FilesApi, READ_BY_POSTGRAPHILE, READ_FILE, READ_PAGE } from './support/files-api.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { databases } from './support/postgres.mjs';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { median, report, skip } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const WARM_UP_SECONDS = Math.min(3, SECONDS);
const CONNECTIONS = 50;
const PAGE = 100;
const VERSION = { query: '{ version }' };
const whenAnswering = { path: '/file-management/graphql', upWhen: (status) => status !== undefined };
const TARGETS = { version: 1.5, file: 4, page: 3, frequent: 0.7, mercurius: 1 };

for (const { name, create } of databases) {
  const { settings, drop } = await create();
  try {
    await measure(name, { ...settings, DATA_DIR: join(folder, name) });
  } finally {
    await drop();
  }
}

async function measure(name, settings) {
  const ours = await start('dist/bundle/main.js', settings);
  const key = createKey(settings);
  const api = new FilesApi(ours.address, key);
  const id = await createFileWithContent(api);
  for (let made = 1; made < PAGE; made++) await createFileWithContent(api);
  const apollo = await start('bench/peers/apollo-fastify.mjs', whenAnswering);
  const rowsOfPeers = await databaseOfPeers(settings);
  const express = await start('bench/peers/nest-express.mjs', { ...whenAnswering, DATABASE_URL: rowsOfPeers });
  const peer = new FilesApi(express.address, key);
  await checkThatBothAnswerAlike(api, peer, id);

  const at = (server, service = 'file-management') => ({ api: new GraphqlApi(server.address, service, key), pid: server.pid });
  const mine = at(ours);
  const file = { query: READ_FILE, variables: { id } };
  const page = { query: READ_PAGE, variables: { limit: PAGE } };
  const rows = [
    row('version, against Apollo on Fastify from memory', await compare(mine, VERSION, at(apollo), VERSION), TARGETS.version),
    row('file(ID), 15 fields, against Nest + Apollo + Express', await compare(mine, file, at(express), file), TARGETS.file),
    row(`a page of ${PAGE} files, the same`, await compare(mine, page, at(express), page), TARGETS.page),
  ];
  await Promise.all([apollo.stop(), express.stop()]);
  if (!settings.DATABASE_URL) {
    const mercurius = await start('bench/peers/nest-mercurius.mjs', { ...whenAnswering, DATABASE_URL: rowsOfPeers });
    await checkThatBothAnswerAlike(api, new FilesApi(mercurius.address, key), id);
    const other = at(mercurius);
    rows.push(
      row('version, against Nest + Mercurius, compiled', await compare(mine, VERSION, other, VERSION), TARGETS.mercurius),
      row('file(ID), 15 fields, the same', await compare(mine, file, other, file), TARGETS.mercurius),
      row(`a page of ${PAGE} files, the same`, await compare(mine, page, other, page)),
    );
    await mercurius.stop();
  }
  const postgraphile = await startPostgraphile(settings);
  if (postgraphile) {
    const other = at(postgraphile);
    await checkThatPostgraphileAnswersAlike(mine.api, other.api, id);
    rows.push(
      row(
        'file by id, 15 fields, against PostGraphile 5',
        await compare(mine, file, other, { ...READ_BY_POSTGRAPHILE.file, variables: { id } }),
      ),
    );
    rows.push(
      row(
        `a page of ${PAGE} files, the same`,
        await compare(mine, page, other, { ...READ_BY_POSTGRAPHILE.page, variables: { limit: PAGE } }),
      ),
    );
    await postgraphile.stop();
  }
  report(`graphql on ${name}: requests per second at ${CONNECTIONS} connections`, rows);

  const frequent = [];
  for (const [service, what, operation] of await frequentOperations(ours, key)) {
    frequent.push(row(what, await compare(at(ours, service), operation, mine, VERSION), TARGETS.frequent));
  }
  report(`graphql on ${name}: the same, against our version`, frequent);
  await ours.stop();
}

async function createFileWithContent(api) {
  const created = await api.create({
    name: 'invoice-2024-0815.pdf',
    comment: 'Sent to the customer on the day of the order',
    author: { id: 'u-17', name: 'Ada Lovelace', email: 'ada@example.com' },
    externalReference: 'order-0815',
    attributes: [
      { name: 'kind', value: 'invoice' },
      { name: 'language', value: 'en' },
    ],
  });
  const response = await fetch(created.uploadUrl, { method: 'PUT', body: Buffer.alloc(10_000) });
  assert.equal(response.status, 200);
  return created.id;
}

/** Returns the address of the same database on PostgreSQL, and of a copy on SQLite, so that neither side waits for the other's locks. */
async function databaseOfPeers({ DATABASE_URL, DATA_DIR }) {
  if (DATABASE_URL) return DATABASE_URL;
  mkdirSync(join(folder, 'peer'));
  const copy = join(folder, 'peer', 'peer.db');
  const database = new Sqlite(join(DATA_DIR, 'platform-services.db'), { readonly: true });
  await database.backup(copy);
  database.close();
  return `file:${copy}`;
}

/** Starts PostGraphile if it is installed. It supports only PostgreSQL. */
async function startPostgraphile({ DATABASE_URL }) {
  if (!DATABASE_URL) return undefined;
  const folder = process.env.BENCH_POSTGRAPHILE;
  if (!folder) return skip('PostGraphile 5, since BENCH_POSTGRAPHILE is not set');
  const node = join(folder, 'node_modules', '.bin', 'node');
  return start('bench/peers/postgraphile.mjs', {
    ...whenAnswering,
    DATABASE_URL,
    ...(existsSync(node) && { node: realpathSync(node) }),
  });
}

/** Renames PostGraphile's fields and converts its values to our form. */
async function checkThatPostgraphileAnswersAlike(own, peer, id) {
  const { file } = await own.ask(READ_FILE, { id });
  const { fileByRowId: row } = await peer.ask(READ_BY_POSTGRAPHILE.file.query, { id });
  assert.equal(Object.keys(row).length, Object.keys(file).length);
  assert.deepEqual([row.rowId, row.name, Number(row.contentLength)], [file.id, file.name, file.contentLength]);
  const { allFiles } = await peer.ask(READ_BY_POSTGRAPHILE.page.query, { limit: PAGE });
  assert.equal(allFiles.nodes.length, PAGE);
}

/** Compares the answers: a fast wrong answer is not a result. Only signatures and URLs may differ. */
async function checkThatBothAnswerAlike(own, peer, id) {
  const answers = await Promise.all(
    [own, peer].map(async (one) => [
      await one.ask(VERSION.query),
      await one.read(id),
      (await one.ask(READ_PAGE, { limit: PAGE })).files,
    ]),
  );
  for (const [, read, page] of answers) {
    assert.equal(Object.keys(read).length, 15);
    assert.equal(page.items.length, PAGE);
    for (const file of [read, ...page.items]) {
      for (const name of ['downloadUrl', 'uploadUrl']) {
        assert.match(file[name], new RegExp(`/${file.id}\\?expires=\\d+&signature=[\\w-]{32,}$`));
        delete file[name];
      }
      assert.equal(file.contentLength, 10_000);
    }
  }
  assert.deepEqual(answers[0], answers[1]);
}

/** Most frequent operations of applications, with the name of their service. */
async function frequentOperations(ours, key) {
  const rendering = new GraphqlApi(ours.address, 'document-rendering', key);
  const template = {
    name: 'greeting',
    type: 'document',
    contentType: 'html',
    body: '<p>Dear {{ name }}, your order {{ id }}.</p>',
  };
  await rendering.ask('mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', { input: template });
  const log = {
    documentId: 'INV-17',
    documentType: 'invoice',
    dateTime: '2026-11-21T10:00:00Z',
    action: 'update',
    author: { id: 'u-1', name: 'Ann' },
    attribute: { id: 'status', name: { en: 'Status' } },
    attributeOldValue: { raw: 'open' },
    attributeNewValue: { raw: 'paid' },
  };
  const operations = [
    [
      'file-management',
      'createFile',
      'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}',
      { name: 'a.txt' },
    ],
    ['document-log', 'createLog', 'mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', log],
    [
      'websockets-manager',
      'pushMessage to an absent recipient',
      'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id status}}}}',
      { recipients: ['ann'], message: 'Your order has shipped', expiresAt: '2099-01-01' },
    ],
    [
      'email',
      'sendMessage',
      'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}',
      { to: { address: 'ann@example.com' }, subject: 'Hello', textBody: 'Hello, Ann' },
    ],
    [
      'document-rendering',
      'render, 2 parameters',
      'query($input:RenderingInput!){render(input:$input){body}}',
      { templateName: 'greeting', params: '{"name":"Ann","id":"17"}' },
    ],
  ];
  return operations.map(([service, what, query, input]) => [service, what, { query, variables: { input } }]);
}

async function compare(ours, operation, peer, itsOperation) {
  const load = async ({ api, pid }, asked, seconds) => {
    const before = canMeasure ? cpuSeconds(pid) : 0;
    const { requests, duration } = await api.load(asked, { connections: CONNECTIONS, seconds });
    const cpuMicros = ((canMeasure ? cpuSeconds(pid) : 0) - before) * 1e6;
    return { perSecond: requests.total / duration, micros: cpuMicros / requests.total };
  };
  for (const [side, asked] of [
    [ours, operation],
    [peer, itsOperation],
  ]) {
    await side.api.ask(asked.query, asked.variables);
    await load(side, asked, WARM_UP_SECONDS);
  }
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push([await load(ours, operation, SECONDS), await load(peer, itsOperation, SECONDS)]);
  }
  return rounds;
}

function row(what, rounds, target) {
  const figure = (side) => {
    const perSecond = Math.round(median(rounds.map((round) => round[side].perSecond))).toLocaleString('en');
    return canMeasure ? `${perSecond} (${Math.round(median(rounds.map((round) => round[side].micros)))} µs)` : perSecond;
  };
  const ratio = median(rounds.map(([ours, peer]) => ours.perSecond / peer.perSecond));
  const judged = target && { target: `>= ${target}`, met: ratio >= target };
  return { what, ours: figure(0), peer: figure(1), ratio: ratio.toFixed(2), target: '', ...judged };
}
