// npm run test:upgrades: runs the last release and this build on one PostgreSQL database, as during a rolling upgrade. A node of the last
// release serves while this build migrates and serves beside it; then this build stops, and the last release starts again on the new
// schema, as when going back. Every node is taken through all services. Needs TEST_DATABASE_URL and the history in git.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkOut, commitOf } from '../bench/support/checkout.mjs';
import { createPostgres } from '../bench/support/postgres.mjs';
import { ALL_SCOPES, ask, startMailServer, startServer, visit } from '../test/nodes/journey.mjs';
import { prepare, root } from './prepare.mjs';

/** The commit of release 0.1.0, the one before this. Once work on the next release begins, the tag of this. */
const LAST_RELEASE = '5304f0f';
const { TEST_DATABASE_URL } = process.env;
const commit = commitOf(LAST_RELEASE);
if (!TEST_DATABASE_URL || !commit) {
  const reason = commit ? 'set TEST_DATABASE_URL' : `there is no commit ${LAST_RELEASE}, as in a source archive`;
  console.log(`skipped: upgrades from the last release (${reason})\n0 passed, 0 failed, 1 skipped`);
  process.exit(process.env.REQUIRE_SERVICES === '1' && commit ? 1 : 0);
}
await prepare();
const folder = mkdtempSync(join(tmpdir(), 'upgrades-'));
const last = join(folder, 'last');
await checkOut(commit, last);
const database = await createPostgres();
const mail = await startMailServer();
const settings = {
  ...database.settings,
  SECRET_KEY: randomUUID(),
  DATA_DIR: join(folder, 'data'),
  SMTP_URL: mail.url,
  EMAIL_FROM: 'upgrades@sender.example',
  ...(process.env.TEST_REDIS_URL && { REDIS_URL: process.env.TEST_REDIS_URL }),
};
const servers = [];
let passed = 0;
let failed = 0;
try {
  await steps();
} catch (error) {
  failed = 1;
  console.log(`FAILED  ${error.stack}\n${servers.map((server) => server.output().slice(-2_000)).join('\n')}`);
} finally {
  for (const server of servers) server.kill();
  mail.close();
  await database.drop();
  rmSync(join(folder, 'data'), { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed);

async function steps() {
  const { server: old, address: oldAddress } = await serve(last);
  const shared = await createKey(last);
  const first = await store(oldAddress, shared, 'of the last release');
  await step('the last release serves alone', () => travel(last, oldAddress));
  const { server: current, address } = await serve(root);
  await step('this build migrates beside it, and serves', () => travel(root, address));
  await step('the last release serves on the new schema', () => travel(last, oldAddress));
  const second = await store(address, shared, 'of this build');
  await step('each reads what the other wrote', async () => {
    assert.equal(await read(address, shared, first), 'of the last release');
    assert.equal(await read(oldAddress, shared, second), 'of this build');
  });
  assert.equal(await current.stop(), 0);
  assert.equal(await old.stop(), 0);
  const { address: again } = await serve(last);
  await step('going back: the last release starts on the new schema, and has everything', async () => {
    assert.equal(await read(again, shared, second), 'of this build');
    await travel(last, again);
  });
}

async function step(text, go) {
  await go();
  passed += 1;
  console.log(`ok      ${text}`);
}

async function serve(build) {
  const server = startServer(process.execPath, build, settings);
  servers.push(server);
  return { server, address: await server.address() };
}

/** The key of a new tenant, made by the command of a build. */
async function createKey(build) {
  const args = ['dist/bundle/cli.js', 'keys', 'create', '--tenant', randomUUID(), '--scope', ALL_SCOPES];
  const options = { cwd: build, env: { PATH: process.env.PATH, ...settings } };
  return (await promisify(execFile)(process.execPath, args, options)).stdout.trim();
}

async function travel(build, address) {
  await visit(address, await createKey(build), () => mail.received);
}

async function store(address, key, content) {
  const query = 'mutation{createFile(input:{name:"a.txt"}){id uploadUrl}}';
  const { createFile } = await ask(`${address}/file-management/graphql`, key, query);
  assert.equal((await fetch(createFile.uploadUrl, { method: 'PUT', body: content })).status, 200);
  return createFile.id;
}

async function read(address, key, id) {
  const { file } = await ask(`${address}/file-management/graphql`, key, `{file(ID:"${id}"){downloadUrl}}`);
  return (await fetch(file.downloadUrl)).text();
}
