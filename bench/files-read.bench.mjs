// Requests per second of `version` and `file(ID)`, against a plain Nest + Apollo + Express program. The two take turns
// within one run, since the speed of a machine drifts; a ratio is the median over the rounds, each round against itself.
// Left out: PostgreSQL, writers beside the readers, and the log of each request, which LOG_LEVEL=warn omits.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import Sqlite from 'better-sqlite3';
import { FilesApi, READ_FILE } from './support/files-api.mjs';
import { median, report } from './support/report.mjs';
import { createKey, dataDir, folder, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const WARM_UP_SECONDS = Math.min(5, SECONDS);
const CONNECTIONS = 50;
const TARGET = 1.7;

const key = createKey();
const ours = await start('dist/bundle/main.js');
const api = new FilesApi(ours.address, key);
const id = await createFileWithContent();
const peer = await startPeerOnCopy();
await checkThatBothAnswerAlike(api, new FilesApi(peer.address, key));

const version = await compare({ query: '{ version }' });
const file = await compare({ query: READ_FILE, variables: { id } });
report(`files-read: requests per second at ${CONNECTIONS} connections, peer Nest + Apollo + Express`, [
  { what: 'version', ...figures(version) },
  { what: 'file(ID), 15 fields', ...figures(file), target: `>= ${TARGET}`, met: file.ratio >= TARGET },
]);
await Promise.all([ours.stop(), peer.stop()]);

async function createFileWithContent() {
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

/** Gives the peer the same rows in its own file, so that neither waits for a lock of the other. */
async function startPeerOnCopy() {
  mkdirSync(join(folder, 'peer'));
  const copy = join(folder, 'peer', 'peer.db');
  const database = new Sqlite(join(dataDir, 'platform-services.db'), { readonly: true });
  await database.backup(copy);
  database.close();
  return start('bench/peers/nest-express.mjs', {
    path: '/file-management/graphql',
    upWhen: (status) => status !== undefined,
    DATABASE_URL: `file:${copy}`,
  });
}

/** Compares the answers: a fast wrong answer is not a result. Only signatures and addresses may differ. */
async function checkThatBothAnswerAlike(...apis) {
  const versions = await Promise.all(apis.map((one) => one.ask('{ version }')));
  assert.deepEqual(versions[0], versions[1]);
  const files = await Promise.all(apis.map((one) => one.read(id)));
  for (const read of files) {
    assert.equal(Object.keys(read).length, 15);
    for (const name of ['downloadUrl', 'uploadUrl']) {
      assert.match(read[name], new RegExp(`/${id}\\?expires=\\d+&signature=[\\w-]{32,}$`));
      delete read[name];
    }
    assert.equal(read.contentLength, 10_000);
  }
  assert.deepEqual(files[0], files[1]);
}

async function compare(operation) {
  for (const server of [ours, peer]) await requestsPerSecond(server, operation, WARM_UP_SECONDS);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      ours: await requestsPerSecond(ours, operation, SECONDS),
      peer: await requestsPerSecond(peer, operation, SECONDS),
    });
  }
  return {
    ours: median(rounds.map((round) => round.ours)),
    peer: median(rounds.map((round) => round.peer)),
    ratio: median(rounds.map((round) => round.ours / round.peer)),
  };
}

async function requestsPerSecond({ address }, operation, duration) {
  const { url, headers } = new FilesApi(address, key);
  const body = JSON.stringify(operation);
  const result = await autocannon({ url, method: 'POST', headers, body, duration, connections: CONNECTIONS, verifyBody });
  assert.equal(result.errors + result.non2xx + result.mismatches, 0, 'every answer must be right');
  return result.requests.total / result.duration;
}

function verifyBody(body) {
  return body.startsWith('{"data":{') && !body.includes('"errors"');
}

function figures({ ours: own, peer: other, ratio }) {
  const whole = (value) => Math.round(value).toLocaleString('en');
  return { ours: whole(own), peer: whole(other), ratio: ratio.toFixed(2) };
}
