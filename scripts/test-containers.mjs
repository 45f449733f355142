// npm run test:containers: builds the image, starts the whole compose file, runs a journey through all services, restarts every
// container one by one, scales to three nodes behind a balancer, rolls them, and stops everything. Needs Docker, or Podman with
// docker-compose; --check only reports whether one is installed. Images that cannot be pulled are replaced by those of
// test/containers/stand-ins, which is reported.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { freePort } from '../deploy/three-nodes.mjs';
import { findEngine } from '../test/containers/engine.mjs';
import { steadyRequests } from '../test/containers/steady-requests.mjs';
import { ALL_SCOPES, ask, until, visit } from '../test/nodes/journey.mjs';
import { prepareClients } from './client.mjs';
import { FRESH, run } from './package-installs.mjs';

const root = new URL('..', import.meta.url).pathname;
const BASE = 'node:24-bookworm-slim';
const BASES = [BASE, 'node:24.18.1-bookworm-slim', 'debian:bookworm-slim'];
const IMAGE = 'platform-services-test';
const MOST_BYTES_BEYOND_BASE = 150_000_000;
const SERVICES = { postgres: 'POSTGRES_IMAGE', s3: 'S3_IMAGE', redis: 'REDIS_IMAGE', mailpit: 'MAILPIT_IMAGE' };
const PORTS = ['PORT', 'BALANCER_PORT', 'POSTGRES_PORT', 'REDIS_PORT', 'S3_PORT', 'S3_CONSOLE_PORT', 'MAILPIT_PORT', 'SMTP_PORT'];
const NODES = ['app', 'app-2', 'app-3'];
const REQUESTS_PER_SECOND = 50;
const CONTENT = 'kept through everything';

const engine = await findEngine();
if (!engine) {
  console.error('There is no container engine: install Docker with its compose plugin, or Podman with docker-compose');
  process.exit(1);
}
if (process.argv.includes('--check')) {
  const canRun = await engine.runs(BASES);
  if (!canRun) console.error('The container engine cannot run the base images: containers are not tested');
  await engine.close();
  process.exit(canRun ? 0 : 1);
}
const project = `platform-services-test-${process.pid}`;
const ports = await Promise.all(PORTS.map(async (name) => [name, String(await freePort())]));
// Uses a unique project name, so that another project of the same file can run concurrently.
const network = `10.214.${process.pid % 256}`;
const addresses = { SUBNET: `${network}.0/24`, BALANCER_ADDRESS: `${network}.250`, TRUST_PROXY: `${network}.250` };
/** Names the base image by its tag, since one built on this machine has another digest. */
const settings = {
  ...addresses,
  APP_IMAGE: IMAGE,
  NODE_IMAGE: BASE,
  WEBSOCKET_HEARTBEAT_SECONDS: '5',
  ...Object.fromEntries(ports),
};
const direct = (...args) => engine.compose(project, settings, ...args);
const balanced = (...args) =>
  engine.compose(
    project,
    { ...settings, PUBLIC_URL: `http://localhost:${settings.BALANCER_PORT}` },
    '--profile',
    'scale',
    ...args,
  );
let passed = 0;
let failed = 0;
let tenants = 0;
try {
  for (const [name, go] of Object.entries(steps())) {
    const begun = performance.now();
    await go();
    passed += 1;
    console.log(`ok      ${name}, ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  }
} catch (error) {
  failed += 1;
  console.log(`FAILED  ${error.stack}\n${error.stderr ?? ''}`);
  console.log((await balanced('logs', '--tail', '40').catch(() => '')).slice(-8_000));
} finally {
  await balanced('down', '--volumes', '--timeout', '20').catch((error) => console.log(error.stderr));
  await engine.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function steps() {
  const app = `http://localhost:${settings.PORT}`;
  const balancer = `http://localhost:${settings.BALANCER_PORT}`;
  const kept = {};
  return {
    'the image builds, with little beyond its base': async () => {
      await engine.build(IMAGE, '.', 'Dockerfile', { NODE_IMAGE: BASE });
      const [image, base] = await Promise.all([IMAGE, BASE].map(sizeOf));
      console.log(`        ${((image - base) / 1e6).toFixed(1)} MB beyond ${BASE}`);
      assert.ok(image - base < MOST_BYTES_BEYOND_BASE);
    },
    'the image runs as a user without rights, and says what is in it': async () => {
      const inside = (...command) => engine.run('run', '--rm', '--read-only', IMAGE, ...command);
      assert.equal(await inside('id', '-un'), 'node');
      const { components } = JSON.parse(await inside('cat', 'sbom.cdx.json'));
      assert.ok(components.some(({ name }) => name === 'fastify'));
      assert.match(await inside('cat', 'THIRD-PARTY-NOTICES.txt'), /^fastify \d/m);
      const found = await inside(
        'find',
        '/app',
        '-name',
        'typescript',
        '-o',
        '-name',
        'jest',
        '-o',
        '-name',
        '*.map',
        '-o',
        '-name',
        '.env*',
      );
      assert.equal(found, '');
    },
    'Testcontainers start it for the tests of an application': async () => {
      prepareClients();
      const folder = mkdtempSync(join(tmpdir(), 'platform-services-testcontainers-'));
      await run('npm', ['install', 'testcontainers@11', ...FRESH], { cwd: folder });
      // The oldest Node here needs version 11. Its cleaner is an image that must be pulled; the test stops its own containers instead.
      const env = { ...engine.env, TESTCONTAINERS_RYUK_DISABLED: 'true', TESTCONTAINERS_HOST_OVERRIDE: 'localhost' };
      await run(process.execPath, [join(root, 'test/containers/testcontainers.mjs'), engine.fullName(IMAGE)], {
        cwd: folder,
        env,
      });
      rmSync(folder, { recursive: true });
    },
    'images of the other services are here, or stand-ins': async () => {
      const file = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
      for (const [name, variable] of Object.entries({ ...SERVICES, haproxy: 'HAPROXY_IMAGE' })) {
        const [, named] = new RegExp(`\\$\\{${variable}:-([^}]+)\\}`).exec(file);
        settings[variable] = await engine.imageOrStandIn(process.env[variable] || named, name);
        console.log(`        ${name}: ${settings[variable]}`);
      }
      // Swift's access keys name an account and a user.
      if (settings.S3_IMAGE.endsWith('stand-in')) settings.S3_ACCESS_KEY = 'platform:services';
    },
    'compose comes up whole': async () => {
      engine.watchHealth(project);
      await direct('up', '-d', '--no-build');
      await allHealthy(direct, ['app', ...Object.keys(SERVICES)]);
    },
    'all services work, and commands inside': async () => {
      await journey(direct, app);
      kept.key = await newKey(direct);
      kept.file = await upload(app, kept.key);
      const listed = await direct('exec', '-T', 'app', 'platform-services', 'keys', 'list');
      assert.match(listed, /tenant-1/);
      const studio = await (await fetch(`${app}/studio/`)).text();
      assert.match(studio, /<title>Studio<\/title>/);
      const [, script] = /<script[^>]* src="([^"]+)"/.exec(studio);
      assert.equal((await fetch(new URL(script, app))).status, 200);
    },
    'the database is backed up and restored as docs/run.md says': async () => {
      const folder = mkdtempSync(join(tmpdir(), 'platform-services-restore-'));
      const type = (commands) => engine.type(project, settings, folder, commands.join('\n'));
      const [, block] = /With Docker Compose, back up .*?```console\n(.*?)```/s.exec(
        readFileSync(join(root, 'docs/run.md'), 'utf8'),
      );
      const [backup, ...restore] = block.trim().split('\n');
      await type([backup]);
      const later = await newKey(direct);
      await type(restore);
      await allHealthy(direct, ['app']);
      await until(async () => (await health(app)) === 'ok');
      assert.equal(await download(app, kept.key, kept.file), CONTENT);
      assert.equal((await fetch(`${app}/key`, { headers: { 'x-api-key': later } })).status, 401);
      rmSync(folder, { recursive: true });
    },
    ...Object.fromEntries(
      [...Object.keys(SERVICES), 'app'].map((name) => [
        `a restart of ${name} recovers by itself and loses nothing`,
        async () => {
          await direct('restart', name);
          await allHealthy(direct, [name, 'app']);
          await until(async () => (await health(app)) === 'ok');
          await journey(direct, app);
          assert.equal(await download(app, kept.key, kept.file), CONTENT);
        },
      ]),
    ),
    'three nodes behind the balancer': async () => {
      // docker-compose 1 mistakes what Podman adds to a network with a range for a change, and refuses another `up`.
      await direct('down', '--timeout', '20');
      await balanced('up', '-d', '--no-build');
      await allHealthy(balanced, NODES);
      await until(async () => (await health(balancer)) === 'ok');
      await journey(balanced, balancer);
      assert.equal(await download(balancer, kept.key, kept.file), CONTENT);
    },
    'nodes believe the balancer, and nobody else, about the address of a client': async () => {
      const host = await sourceOf(app, kept.key, {});
      assert.equal(await sourceOf(balancer, kept.key, {}), host);
      const lie = { 'x-forwarded-for': '203.0.113.7' };
      assert.equal(await sourceOf(balancer, kept.key, lie), host);
      assert.equal(await sourceOf(app, kept.key, lie), host);
      assert.notEqual(host, addresses.BALANCER_ADDRESS);
      console.log(`        ${host}`);
    },
    'no request fails while the nodes are restarted in turn': async () => {
      const requests = steadyRequests(REQUESTS_PER_SECOND, () =>
        ask(`${balancer}/file-management/graphql`, kept.key, `{file(ID:"${kept.file}"){id}}`),
      );
      for (const name of NODES) {
        await balanced('restart', '--timeout', '20', name);
        await allHealthy(balanced, [name]);
      }
      const { count, failures } = await requests.stop();
      console.log(`        ${count} requests`);
      assert.deepEqual(failures, []);
    },
    'SIGTERM ends the nodes with 0': async () => {
      const ids = await Promise.all(NODES.map((name) => balanced('ps', '--quiet', name)));
      await balanced('stop', '--timeout', '20', ...NODES);
      const codes = await Promise.all(ids.map((id) => engine.run('inspect', '--format', '{{.State.ExitCode}}', id)));
      assert.deepEqual(codes, ['0', '0', '0']);
    },
  };
}

async function sizeOf(image) {
  return Number(await engine.run('image', 'inspect', '--format', '{{.Size}}', image));
}

async function allHealthy(compose, names) {
  for (const name of names) {
    const id = await compose('ps', '--quiet', name);
    const isHealthy = async () => (await engine.run('inspect', '--format', '{{.State.Health.Status}}', id)) === 'healthy';
    await until(isHealthy).catch(() => Promise.reject(new Error(`${name} does not become healthy`)));
  }
}

async function health(address) {
  const response = await fetch(`${address}/health/ready`).catch(() => undefined);
  return response && (await response.json()).status;
}

async function newKey(compose) {
  tenants += 1;
  const args = ['keys', 'create', '--tenant', `tenant-${tenants}`, '--scope', ALL_SCOPES];
  // Retries: for some seconds after other containers start, host names may not resolve.
  return until(() => compose('exec', '-T', 'app', 'platform-services', ...args).catch(() => undefined));
}

/** Runs the journey through all services with a new tenant. */
async function journey(compose, address) {
  await visit(address, await newKey(compose), readMails);
}

async function readMails() {
  const catcher = `http://127.0.0.1:${settings.MAILPIT_PORT}/api/v1`;
  const { messages } = await (await fetch(`${catcher}/messages`)).json();
  return Promise.all(messages.slice(0, 20).map(async ({ ID }) => (await fetch(`${catcher}/message/${ID}/raw`)).text()));
}

/** Connects a recipient, and returns its IP address as seen by the server. */
async function sourceOf(address, key, headers) {
  const endpoint = `${address}/websockets-manager/graphql`;
  const { registerRecipient } = await ask(endpoint, key, 'mutation{registerRecipient(input:{recipient:"ann"}){token{value}}}');
  const uri = `${address.replace('http', 'ws')}/?token=${registerRecipient.token.value}`;
  const socket = new WebSocket(uri, { headers });
  await once(socket, 'open');
  const { connections } = await ask(endpoint, key, '{connections(recipient:"ann"){id sourceIp}}');
  socket.terminate();
  // Selects the newest connection: ids grow with time, and earlier connections may still be open.
  return connections.sort((one, other) => (one.id < other.id ? -1 : 1)).at(-1).sourceIp;
}

async function upload(address, key) {
  const { createFile } = await ask(
    `${address}/file-management/graphql`,
    key,
    'mutation{createFile(input:{name:"kept.txt"}){id uploadUrl}}',
  );
  const { status } = await fetch(createFile.uploadUrl, { method: 'PUT', body: CONTENT });
  assert.equal(status, 200);
  return createFile.id;
}

async function download(address, key, id) {
  const { file } = await ask(`${address}/file-management/graphql`, key, `{file(ID:"${id}"){downloadUrl}}`);
  return (await fetch(file.downloadUrl)).text();
}
