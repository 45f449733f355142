// @nightly sqlite: many starts of a node
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SERVICES } from '../src/common/auth/scopes.js';
import { printedSchema, servedSchema } from '../scripts/schemas.mjs';
import { Api } from './support/api.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

/** With SQLite, a database belongs to one node. */
const onPostgres = databaseKind === 'postgresql' ? it : it.skip;

describe('a starting node', () => {
  let deployment: Deployment;
  let key: string | undefined;
  /** Each test leaves one running for the next. */
  let server: ServerProcess | undefined;
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
  });
  afterAll(() => deployment.remove());

  const printedKey = (server: ServerProcess) => /psk_\w+(?=\n)/.exec(server.output)?.[0];
  const running = async () => {
    server ??= deployment.start();
    const address = await server.ready();
    key ??= await server.until(/psk_\w+(?=\n)/);
    return { server, address, api: new Api(address, 'file-management', key) };
  };

  it('prints a first key once, with the five console URLs, and not at its second start', async () => {
    const first = deployment.start();
    const address = await first.ready();
    await first.until(/email\/graphql\n/);
    expect(first.output).toContain(`${address}/file-management/graphql`);
    key = printedKey(first)!;
    expect((await new Api(address, 'document-log', key).send('{version}')).data).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(await first.stop()).toBe(0);

    server = deployment.start();
    expect((await new Api(await server.ready(), 'email', key).send('{version}')).status).toBe(200);
    expect(printedKey(server)).toBeUndefined();
  });

  it('serves the five schemas of schema/ from its bundle', async () => {
    const { address } = await running();
    for (const service of SERVICES) expect(await servedSchema(address, service, key!)).toBe(printedSchema(service));
  });

  it('finishes running requests on SIGTERM, accepts no new ones, and exits with 0', async () => {
    const { server: stopped, address, api } = await running();
    const { uploadUrl, id } = (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl}}')).createFile;
    const url = new URL(uploadUrl);
    const socket = connect(Number(url.port), url.hostname);
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    const ended = new Promise((done) => socket.once('close', done));
    socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n`);
    await new Promise((done) => socket.once('data', done)); // 100 Continue: the upload has begun
    socket.write('12345');
    // As a browser or a balancer does: opened ahead, and no request on it.
    const ahead = connect(Number(url.port), url.hostname);
    await new Promise((done) => ahead.once('connect', done));
    stopped.child.kill('SIGTERM');
    await stopped.until(/"msg":"stopping"/);
    const answers = () => fetch(`${address}/health/live`).then(({ ok }) => ok, () => false); // prettier-ignore
    while (await answers()) await new Promise((done) => setTimeout(done, 20));
    socket.write('67890');
    await ended;
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect(await stopped.exited).toBe(0);
    expect(stopped.output).not.toContain('stopping took 10 s');

    server = deployment.start();
    const response = await fetch(`${await server.ready()}/file-management/files/${id}`);
    expect(await response.text()).toBe('1234567890');
  });

  it('retains what it answered and stays consistent when it is killed during uploads', async () => {
    const { server: killed, api } = await running();
    const create = async () =>
      (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl(expiresIn:600)}}')).createFile;
    const stored = await create();
    expect((await fetch(stored.uploadUrl, { method: 'PUT', body: Buffer.from('before') })).status).toBe(200);
    const under = await Promise.all(Array.from({ length: 5 }, create));
    const slow = [stored, ...under].map(({ uploadUrl }) => {
      const url = new URL(uploadUrl);
      const socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
      socket.write(
        `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n`,
      );
      return new Promise<void>((done) => socket.once('data', () => socket.write(Buffer.alloc(500_000), () => done())));
    });
    await Promise.all(slow);
    expect(await killed.stop('SIGKILL')).toBe('SIGKILL');

    server = deployment.start();
    const after = new Api(await server.ready(), 'file-management', key);
    const { files } = await after.ask('{files{items{id status contentLength downloadUrl}}}');
    for (const { id } of under)
      expect(files.items).toContainEqual({ id, status: 'uploading', contentLength: null, downloadUrl: null });
    const kept = files.items.find(({ id }: { id: string }) => id === stored.id);
    expect(kept).toMatchObject({ status: 'done', contentLength: 6 });
    expect(await (await fetch(kept.downloadUrl)).text()).toBe('before');
  });

  it('started by npm stops cleanly when npm gets SIGTERM', async () => {
    const own = await Deployment.create({ PORT: '0' });
    const npm = own.start({}, ['npm', 'start']);
    const address = await npm.ready();
    expect(await npm.stop()).toBe(0);
    expect(npm.output).toContain('"msg":"stopping"');
    await expect(fetch(`${address}/health/live`)).rejects.toThrow();
    await own.remove();
  });

  it('started by npx stops cleanly when npx gets SIGTERM, which npx does not pass on', async () => {
    const own = await Deployment.create({ PORT: '0' });
    const npx = own.start({}, ['npx', '--no-install', 'platform-services']);
    const address = await npx.ready();
    await npx.stop();
    expect(npx.output).toContain('"msg":"stopping"');
    await expect(fetch(`${address}/health/live`)).rejects.toThrow();
    await own.remove();
  });

  it('creates keys by the command of an image, which has the build but neither npm nor build tools', async () => {
    const { address } = await running();
    const image = mkdtempSync(join(tmpdir(), 'platform-services-image-'));
    for (const part of ['bin', 'dist', 'prisma', 'schema', 'package.json', 'node_modules'])
      symlinkSync(fileURLToPath(new URL(`../${part}`, import.meta.url)), join(image, part));
    const command = join(image, 'bin', 'platform-services.mjs');
    const env = { PATH: dirname(process.execPath), NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' };
    const made = await promisify(execFile)(command, ['keys', 'create', '--tenant', 'acme', '--scope', 'email-api:query:*'], {
      cwd: tmpdir(),
      env: { ...env, ...deployment.settings },
    });
    expect(made).toEqual({ stdout: expect.stringMatching(/^psk_\w+\n$/), stderr: '' });
    expect((await new Api(address, 'email', made.stdout.trim()).send('{version}')).status).toBe(200);
    expect(await server!.stop()).toBe(0);
    rmSync(image, { recursive: true });
  });

  it('serves Studio as soon as it is built, without a restart, and lets browsers revalidate until then', async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'platform-services-checkout-'));
    const link = (part: string) => symlinkSync(fileURLToPath(new URL(`../${part}`, import.meta.url)), join(checkout, part));
    for (const part of ['dist', 'prisma', 'schema', 'package.json', 'node_modules']) link(part);
    const own = await Deployment.create({ PORT: '0' });
    const program = [process.execPath, '--preserve-symlinks', '--preserve-symlinks-main', join(checkout, 'dist/bundle/main.js')];
    const address = await own.start({}, program).ready();
    const page = await fetch(`${address}/studio`);
    expect([page.status, page.headers.get('refresh'), page.headers.get('retry-after')]).toEqual([503, '3', '3']);
    expect(await page.json()).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(/^Studio is not built yet\./),
    });
    expect((await fetch(`${address}/studio/assets/index.js`)).status).toBe(404);
    link('studio');
    const built = await fetch(`${address}/studio`);
    expect([built.status, await built.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
    await own.remove();
    rmSync(checkout, { recursive: true });
  });

  onPostgres('starts beside another on the same empty database: one migrates and creates the first key', async () => {
    const empty = await Deployment.create({ PORT: '0' });
    const nodes = [empty.start(), empty.start(), empty.start()];
    const addresses = await Promise.all(nodes.map((node) => node.ready()));
    const first = await until(() => nodes.map(printedKey).find(Boolean));
    for (const address of addresses) expect((await new Api(address, 'email', first).send('{version}')).status).toBe(200);
    expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0, 0]);
    expect(nodes.map(printedKey).filter(Boolean)).toEqual([first]);
    await empty.remove();
  });
});
