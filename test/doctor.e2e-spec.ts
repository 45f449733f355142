// @nightly: many starts of a command
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Finding } from '../src/doctor/doctor.js';
import { dataFolder } from './support/folders.js';
import { Deployment, freePort } from './support/process.js';
import { MailServer } from './support/smtp.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const CLI = ['dist/bundle/cli.js', 'doctor'];
const { TEST_REDIS_URL } = process.env;

/** A server that reads all that it is sent: a connection ends for a server only once all of it was read. */
const readingServer = (answer: (socket: Socket) => void = () => undefined) =>
  createServer((socket) => answer(socket.on('error', () => undefined).resume()));

describe('doctor', () => {
  let deployment: Deployment;
  let healthy: Record<string, string>;
  beforeAll(async () => {
    deployment = await Deployment.create({ SECRET_KEY: randomBytes(32).toString('hex') });
    healthy = { ...deployment.settings, ...(TEST_REDIS_URL && { REDIS_URL: TEST_REDIS_URL }) };
  });
  afterAll(() => deployment.remove());

  const run = (settings: Record<string, string>, program: string[] = [process.execPath], args: string[] = ['--json']) =>
    new Promise<{ code: number; stdout: string }>((resolve) => {
      const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...settings };
      execFile(program[0]!, [...program.slice(1), ...CLI, ...args], { env }, (error, stdout) =>
        resolve({ code: Number(error?.code ?? 0), stdout }),
      );
    });
  /** Settings that differ from working ones, and the findings of doctor. */
  const examine = async (settings: Record<string, string>, program?: string[]) => {
    const { code, stdout } = await run({ ...healthy, ...settings }, program);
    const { status, checks } = JSON.parse(stdout) as { status: string; checks: Finding[] };
    return { code, status, text: stdout, of: (name: string) => checks.find(({ check }) => check === name) };
  };
  const failure = (detail: string | RegExp = /./) =>
    expect.objectContaining({ state: 'failed', detail: expect.stringMatching(detail) });

  it('finds nothing wrong and creates nothing before the first start, and finds nothing wrong beside a running server', async () => {
    const before = await run(healthy);
    const failed = (stdout: string) =>
      (JSON.parse(stdout) as { checks: Finding[] }).checks.filter(({ state }) => state === 'failed');
    expect(failed(before.stdout)).toEqual([]);
    expect(before.code).toBe(0);
    expect(readdirSync(deployment.dataDir)).toEqual([]);

    const server = deployment.start({ PORT: '0', ...healthy });
    const { port } = new URL(await server.ready());
    const { code, stdout } = await run({ ...healthy, PORT: port });
    expect(failed(stdout)).toEqual([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/wrote, read and removed an object/);
    expect(stdout).toContain(`${port} is served by a running platform-services`);
    if (databaseKind === 'sqlite') expect(stdout).toMatch(new RegExp(`MiB free, used by process ${server.child.pid}\\b`));
    await server.stop();
  });

  it('reports where bounces go, and whether their port can be used', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const domain = { RETURN_PATH_DOMAIN: 'bounces.invalid' };
    expect((await examine({})).of('bounces')).toMatchObject({ state: 'ok', detail: 'not used: they go to the sender' });
    expect((await examine(domain)).of('bounces')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('bounces.invalid'),
    });
    const taken = await examine({ ...domain, BOUNCE_PORT: String(port), BOUNCE_HOST: '127.0.0.1' });
    expect(taken.of('bounces')).toEqual(failure(new RegExp(`BOUNCE_PORT ${port} is in use`)));
    server.close();
  });

  it('reports whether the Gotenberg of PDF_URL is up', async () => {
    let status = 200;
    const gotenberg = createHttpServer(({ url }, response) => response.writeHead(url === '/health' ? status : 404).end('{}'));
    await once(gotenberg.listen(0, '127.0.0.1'), 'listening');
    const settings = { PDF_URL: `http://127.0.0.1:${(gotenberg.address() as AddressInfo).port}` };
    expect((await examine({})).of('PDF')).toMatchObject({ state: 'ok', detail: expect.stringContaining('PDF_URL') });
    expect((await examine(settings)).of('PDF')).toMatchObject({ state: 'ok', detail: 'the Gotenberg of PDF_URL is up' });
    status = 503;
    expect((await examine(settings)).of('PDF')).toEqual(failure(/is not up: its \/health answered 503/));
    gotenberg.close();
    expect((await examine(settings)).of('PDF')).toEqual(failure(/is not up: ECONNREFUSED/));
  });

  it('warns when the browsers of PDFs may use memory that the server needs', async () => {
    const settings = { CHROMIUM_PATH: process.execPath, PDF_MEMORY_BYTES: String(2 ** 30) };
    expect((await examine(settings)).of('PDF')).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/up to 1024 MiB of \d+ MiB$/),
    });
    const told = (await examine({ ...settings, PDF_MEMORY_BYTES: String(2 ** 50) })).of('PDF');
    expect(told).toMatchObject({ state: 'warning', advice: expect.stringContaining('lower PDF_MEMORY_BYTES') });
  });

  it('prints a line per check, and what to do under those that need action', async () => {
    const { stdout } = await run({ ...healthy, SECRET_KEY: 'change-me-change-me-change-me-change-me' }, undefined, []);
    expect(stdout).toMatch(/^(ok {7}Node {9}|warning {2}Node {9}Node )\d+\.\d+\.\d+/);
    expect(stdout).toMatch(/\nwarning {2}secret {7}SECRET_KEY looks chosen by hand[^\n]*\n {22}generate a random one/);
  });

  it('names an invalid setting, and accepts settings as options, which take precedence', async () => {
    const wrong = await examine({ PORT: 'abc' });
    expect(wrong).toMatchObject({ code: 1, status: 'failed' });
    expect(wrong.of('settings')).toEqual(failure(/^PORT/));
    const { code, stdout } = await run({ ...healthy, LOG_LEVEL: 'warn' }, undefined, ['--json', '--log-level', 'loud']);
    expect(code).toBe(1);
    expect(stdout).toContain('LOG_LEVEL must be one of');
  });

  it('reports a folder that cannot be used, one that others can open, and one that is restored in part', async () => {
    const folder = dataFolder();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const sqlite = { DATABASE_URL: '', S3_ENDPOINT: '', SECRET_KEY: '' };
    expect((await examine({ ...sqlite, DATA_DIR: file })).of('data folder')).toEqual(failure());

    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    const told = await examine({ ...sqlite, DATA_DIR: open });
    expect(told.code).toBe(0);
    expect(told.of('data folder')).toMatchObject({ state: 'warning', advice: `chmod 700 ${open}` });

    chmodSync(open, 0o700);
    writeFileSync(join(open, 'restore-unfinished'), '');
    expect((await examine({ ...sqlite, DATA_DIR: open })).of('data folder')).toEqual(failure('only part of a backup'));

    expect((await examine({ ...sqlite, DATA_DIR: join(folder, 'a', 'b') })).of('data folder')).toMatchObject({ state: 'ok' });
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });

  it('reports a port in use, a weak secret, and too few open files', async () => {
    const other = readingServer((socket) => socket.end('x')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const SECRET_KEY = 'change-me-change-me-change-me-change-me';
    const limited = ['sh', '-c', 'ulimit -n 700 && exec "$0" "$@"', process.execPath];
    const settings = { PORT: String(port), SECRET_KEY, NODE_ENV: 'production', WEBSOCKET_MAX_CONNECTIONS: '1000' };
    const told = await examine(settings, limited);
    other.close();
    expect(told.code).toBe(1);
    expect(told.of('port')).toEqual(failure(`${port} is in use by another program`));
    expect(told.of('secret')).toEqual(failure('looks chosen by hand'));
    expect(told.text).not.toContain('change-me');
    expect(told.of('open files')).toMatchObject({ state: 'warning', detail: expect.stringContaining('of 1000') });
  });

  it('reports a file that is not a database', async () => {
    const file = join(dataFolder(), 'text.db');
    writeFileSync(file, 'this is no database, but a text of more than a hundred bytes. '.repeat(20));
    const told = await examine({ DATABASE_URL: `file:${file}` });
    expect(told.code).toBe(1);
    expect(told.of('database')).toEqual(failure('not a database'));
  });

  it('reports all unavailable dependencies with what to do, and prints no password', async () => {
    const at = `127.0.0.1:${await freePort()}`;
    const told = await examine({
      DATABASE_URL: `postgresql://ann:swordfish%2117@${at}/x`,
      S3_ENDPOINT: `http://${at}`,
      S3_ACCESS_KEY: 'key',
      S3_SECRET_KEY: 'swordfish-17',
      REDIS_URL: `redis://:swordfish-17@${at}`,
      SMTP_URL: `smtp://ann:swordfish-17@${at}`,
      EMAIL_FROM: 'ann@example.com',
    });
    expect(told.code).toBe(1);
    for (const part of ['database', 'store', 'Redis', 'mail']) {
      expect(told.of(part)).toMatchObject({ state: 'failed', advice: expect.stringContaining('correct') });
    }
    expect(told.text).not.toContain('swordfish');
  });

  it('abandons a dependency that does not answer, and says so', async () => {
    const silent = readingServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const at = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const settings = { REDIS_URL: `redis://${at}`, SMTP_URL: `smtp://${at}`, EMAIL_FROM: 'ann@example.com' };
    const told = await examine({ ...settings, DATABASE_URL: `postgresql://ann@${at}/x` });
    expect(told.code).toBe(1);
    for (const part of ['database', 'Redis', 'mail']) expect(told.of(part)).toEqual(failure());
    silent.close();
  });

  it('logs in to a mail server without sending a mail, and reports a refused login', async () => {
    const settings = (port: number) => ({
      SMTP_URL: `smtp://ann:swordfish-17@127.0.0.1:${port}`,
      SMTP_TLS: 'off',
      EMAIL_FROM: 'ann@example.com',
    });
    const [mail, strict] = await Promise.all([
      MailServer.start({ logins: true }),
      MailServer.start({ logins: true, tokens: new Set() }),
    ]);
    expect((await examine(settings(mail.port))).of('mail')).toMatchObject({ state: 'ok' });
    expect(mail.passwords.length).toBe(1);
    expect(mail.mails).toEqual([]);
    expect((await examine(settings(strict.port))).of('mail')).toEqual(failure('rejected the login'));
    await Promise.all([mail.stop(), strict.stop()]);
  });

  it('compares the clock with that of the store', async () => {
    const early = createHttpServer((_, response) => {
      response.setHeader('date', new Date(Date.now() - 60_000).toUTCString()).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => early.once('listening', resolve));
    const { port } = early.address() as AddressInfo;
    const told = await examine({
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY: 'key',
      S3_SECRET_KEY: randomUUID(),
    });
    const detail = expect.stringMatching(/^the clock here is (59|6[0-9]) s ahead of that of the store/);
    expect(told.of('clock')).toMatchObject({ state: 'warning', detail });
    early.close();
  });
});
