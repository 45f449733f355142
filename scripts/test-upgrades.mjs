// npm run test:upgrades [-- REF]: runs the last release and this build on one PostgreSQL database, as during a rolling upgrade. A node
// of the last release serves while this build migrates and serves beside it; then this build stops, and the last release restarts on
// the new schema, as after a rollback. Each node passes a journey through all services; this build also passes it with the clients of
// the last release. The last release is REF, or the newest tag before this commit. Until 0.3.0 is tagged it is the commit that added
// the baseline migration. Needs TEST_DATABASE_URL and the git history.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkOut, commitOf } from '../bench/support/checkout.mjs';
import { prepareClients } from './client.mjs';
import { prepare, root } from './prepare.mjs';

const BASELINE = 'prisma/*/migrations/*_baseline/migration.sql';
const JOURNEY_LIMIT_MS = 180_000;
const { TEST_DATABASE_URL } = process.env;
const IN_PUBLIC = `n.nspname = 'public'`;
const SCHEMA = `
  SELECT concat_ws(' ', c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attcollation::regcollation,
    pg_get_expr(d.adbin, d.adrelid)) AS line
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${IN_PUBLIC} AND c.relkind IN ('r', 'S') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT c.conrelid::regclass || ' ' || pg_get_constraintdef(c.oid)
    FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE ${IN_PUBLIC} AND c.contype <> 'n'
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE ${IN_PUBLIC}
  UNION ALL SELECT t.typname || ' ' || e.enumsortorder || e.enumlabel FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
  ORDER BY 1`;
const [asked] = process.argv.slice(2);
const tag = firstOf('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-version:refname');
const isFirst = !asked && !tag;
const ref = asked ?? tag ?? firstOf('log', '--no-renames', '--diff-filter=A', '--format=%H', '--', BASELINE);
const commit = ref && commitOf(ref);
if (asked && !commit) throw new Error(`there is no commit ${asked}`);
if (isFirst)
  console.log('There is no release to upgrade from: the last release is the commit that added the baseline migration.');
if (!TEST_DATABASE_URL || !commit) {
  const reason = commit ? 'set TEST_DATABASE_URL' : 'git has no release and no baseline, as in a source archive';
  console.log(`skipped: upgrades from the last release (${reason})\n0 passed, 0 failed, 1 skipped`);
  process.exit(process.env.REQUIRE_SERVICES === '1' && commit ? 1 : 0);
}
await prepare({ withTools: true });
prepareClients();
const { default: pg } = await import('pg');
const { createPostgres, withPostgres } = await import('../bench/support/postgres.mjs');
const { ALL_SCOPES, ask, startMailServer, startServer, visit } = await import('../test/nodes/journey.mjs');
const folder = mkdtempSync(join(tmpdir(), 'upgrades-'));
const last = join(folder, 'last');
await checkOut(commit, last);
await promisify(execFile)(process.execPath, ['scripts/client.mjs'], { cwd: last });
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
/** Programs that run a build's clients through all services, with the arguments that print the version of their language. */
const JOURNEYS = {
  JavaScript: {
    program: process.execPath,
    version: ['--version'],
    of: (build) => ({ args: [join(build, 'test/journey/javascript.mjs')] }),
  },
  Python: {
    program: 'python3',
    version: ['--version'],
    of: (build) => ({
      args: [join(build, 'test/journey/python.py')],
      env: { PYTHONPATH: join(build, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
    }),
  },
  Go: {
    program: 'go',
    version: ['version'],
    of: (build) => ({
      args: ['run', '.'],
      cwd: goModule(build),
      env: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOPROXY: 'off' },
    }),
  },
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
  await log(oldAddress, shared);
  const bundle = await bundleOf(oldAddress, shared);
  await step('the last release serves alone', () => travel(last, oldAddress));
  const { server: current, address } = await serve(root);
  await step('this build migrates beside it, and serves', () => travel(root, address));
  await step('the last release serves on the new schema', () => travel(last, oldAddress));
  await step('the schema is that of a new database', () =>
    withPostgres(async (url) => {
      await command(root, ['migrate'], { DATABASE_URL: url });
      assert.deepEqual(await schemaOf(settings.DATABASE_URL), await schemaOf(url));
    }),
  );
  for (const language of await languages()) {
    await step(`the ${language} client of the last release works with this build`, () =>
      journey(language, last, address, shared),
    );
    await step(`the ${language} client of this build works with this build`, () => journey(language, root, address, shared));
  }
  const second = await store(address, shared, 'of this build');
  await step('each reads what the other wrote', async () => {
    assert.equal(await read(address, shared, first), 'of the last release');
    assert.equal(await read(oldAddress, shared, second), 'of this build');
  });
  await step('each verifies the log of both, and a bundle of the other', async () => {
    await log(address, shared);
    for (const one of [address, oldAddress]) assert.equal(await isLogValid(one, shared), true);
    await verify(root, bundle);
    await verify(last, await bundleOf(address, shared));
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

/** Creates a key of a new tenant with a build's command. */
function createKey(build) {
  return command(build, ['keys', 'create', '--tenant', randomUUID(), '--scope', ALL_SCOPES]);
}

async function command(build, args, further = {}) {
  const options = { cwd: build, env: { PATH: process.env.PATH, ...settings, ...further } };
  return (await promisify(execFile)(process.execPath, ['dist/bundle/cli.js', ...args], options)).stdout.trim();
}

async function travel(build, address) {
  await visit(address, await createKey(build), () => mail.received);
}

/** Languages of the clients that can run here. */
async function languages() {
  const there = [];
  for (const [language, { program, version }] of Object.entries(JOURNEYS)) {
    const found = await promisify(execFile)(program, version).catch(() => undefined);
    if (found) there.push(language);
    else if (process.env.REQUIRE_SERVICES === '1')
      throw new Error(`${program} is not installed, which the ${language} client needs`);
    else console.log(`skipped the ${language} client: ${program} is not installed`);
  }
  return there;
}

/** Runs the client of a build in a language through all services. */
async function journey(language, build, address, key) {
  const { program, of } = JOURNEYS[language];
  const { args, cwd, env } = of(build);
  const options = {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, PLATFORM_URL: address, PLATFORM_KEY: key },
  };
  const { stdout } = await promisify(execFile)(program, args, { ...options, timeout: JOURNEY_LIMIT_MS });
  const all = ['downloaded Hello', 'found 5', 'rendered Hi Ann', 'received hello', 'recorded 1', 'sent 1'];
  assert.deepEqual(stdout.trim().split('\n'), all);
}

/** Creates a Go module with the program of a build and its client. */
function goModule(build) {
  const module = mkdtempSync(join(folder, 'go-'));
  cpSync(join(build, 'test/journey/main.go'), join(module, 'main.go'));
  const client = join(build, 'clients/go');
  const [, name] = /^module (.*)$/m.exec(readFileSync(join(client, 'go.mod'), 'utf8'));
  const requirement = `require ${name} v0.0.0\n\nreplace ${name} => ${client}\n`;
  writeFileSync(join(module, 'go.mod'), `module journey\n\ngo 1.19\n\n${requirement}`);
  return module;
}

/** Returns the first line that git prints, if any. */
function firstOf(...args) {
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return stdout?.split('\n')[0] || undefined;
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

/** Stores a record and edits it. */
async function log(address, key) {
  const endpoint = `${address}/document-log/graphql`;
  const dateTime = new Date().toISOString();
  const input = { documentId: 'D-1', documentType: 'order', dateTime, author: { id: 'ann' }, comment: 'before' };
  const { createLog } = await ask(endpoint, key, 'mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', { input });
  await ask(endpoint, key, `mutation{updateLog(input:{id:"${createLog.itemId}",comment:"after"}){id}}`);
}

async function isLogValid(address, key) {
  return (await ask(`${address}/document-log/graphql`, key, '{verifyLogs{valid}}')).verifyLogs.valid;
}

/** Downloads the bundle of a fully sealed log, and the published keys, as files. */
async function bundleOf(address, key) {
  const until = performance.now() + 30_000;
  for (;;) {
    const { verifyLogs } = await ask(`${address}/document-log/graphql`, key, '{verifyLogs{unsealedRecords}}');
    if (verifyLogs.unsealedRecords === 0) break;
    assert.ok(performance.now() < until, 'the log is not sealed');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const files = { bundle: `${folder}/${randomUUID()}`, keys: `${folder}/${randomUUID()}` };
  const exported = await fetch(`${address}/document-log/export?format=bundle`, { headers: { 'x-api-key': key } });
  assert.equal(exported.status, 200);
  writeFileSync(files.bundle, await exported.text());
  writeFileSync(files.keys, await (await fetch(`${address}/.well-known/platform-services/document-log-keys`)).text());
  return files;
}

function verify(build, { bundle, keys }) {
  return command(build, ['log', 'verify', bundle, '--public-key', keys]);
}

/** Returns the schema that a migration creates, as described by PostgreSQL. */
async function schemaOf(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(SCHEMA)).rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}
