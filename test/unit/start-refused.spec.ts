// @nightly: many starts of a node
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Api } from '../support/api.js';
import { Deployment, freePort } from '../support/process.js';
import { describeOnSmallDisk, SmallDisk } from '../support/small-disk.js';

const FILE = fileURLToPath(import.meta.url);
const OTHER = join(tmpdir(), 'platform-services-test-elsewhere', 'other.db');

describe('a start that cannot succeed', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
  });
  afterAll(() => deployment.remove());

  it.each([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535'],
    [{ WORKERS: '0' }, 'WORKERS must be a whole number from 1 to 64, or auto'],
    [{ WORKERS: '65' }, 'WORKERS must be a whole number from 1 to 64, or auto'],
    [{ WORKERS: 'all' }, 'WORKERS must be a whole number from 1 to 64, or auto'],
    [{ WORKERS: '2' }, 'WORKERS above 1 needs REDIS_URL, as several nodes do. Start a Redis, with `redis-server` or `docker run'],
    [{ SECRET_KEY: 'short' }, 'SECRET_KEY must be 32 bytes or more'],
    [{ BOOTSTRAP_API_KEY: 'mine' }, 'BOOTSTRAP_API_KEY must be a key as printed by'],
    [{ DATABASE_URL: 'postgresql://localhost:1/none' }, 'DATABASE_URL names a database that cannot be opened'],
    [{ DATABASE_URL: 'file:/dev/null/x.db' }, 'DATABASE_URL names a database that cannot be opened'],
  ])('with %j reports the reason in one line', async (settings, message) => {
    const server = deployment.start(settings as Record<string, string>);
    expect(await server.exited).toBe(1);
    const lines = server.output.trim().split('\n');
    expect(lines).toEqual([expect.stringContaining(`platform-services did not start: ${message}`)]);
  });

  it.each([
    ['HOST', { HOST: 'no-such-host.invalid' }, /HOST must be an address of this machine.*no-such-host\.invalid/],
    ['HOST', { HOST: '192.0.2.1' }, /HOST must be an address of this machine.*192\.0\.2\.1 cannot be used: EADDRNOTAVAIL/],
    ['DATA_DIR', { DATA_DIR: FILE }, /DATA_DIR must be a folder that this user can write to.*there is a file in its place/],
    ['DATA_DIR', { DATA_DIR: `${FILE}/below` }, /DATA_DIR must be a folder.*there is a file in its place/],
    ['DATA_DIR', { DATA_DIR: '/proc/x' }, /DATA_DIR must be a folder.*\/proc\/x cannot be used: no folder can be created there/],
    ['DATA_DIR', { DATA_DIR: '/proc/x/y' }, /DATA_DIR must be a folder.*no folder can be created there/],
    ['DATABASE_URL', { DATABASE_URL: 'file:/proc/x/y.db' }, /DATABASE_URL names a database that cannot be opened: ENOENT/],
    ['DATA_DIR', { DATA_DIR: '/sys/nobody-may-write-here' }, /DATA_DIR must be a folder.*cannot be used: E/],
    ['DATA_DIR', { DATA_DIR: FILE, DATABASE_URL: `file:${OTHER}` }, /DATA_DIR must be a folder.*there is a file in its place/],
  ])('because of %s = %j names that setting', async (_, settings, message) => {
    const server = deployment.start(settings as Record<string, string>);
    expect(await server.exited).toBe(1);
    const said = server.output.split('\n').filter((line) => line.startsWith('platform-services did not start: '));
    expect(said).toEqual([expect.stringMatching(message)]);
    expect(server.output).not.toMatch(/"level":[56]0/);
  });

  it('on a taken port says so, and leaves the first key for the start that succeeds', async () => {
    const port = await freePort();
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const refused = deployment.start({ PORT: String(port) });
    expect(await refused.exited).toBe(1);
    expect(refused.output).toContain(`PORT ${port} is in use by another program; choose another port`);
    expect(refused.output).not.toMatch(/psk_|"level":[56]0/);
    taken.close();

    const started = deployment.start({ PORT: String(port) });
    const key = await started.until(/psk_\w+(?=\n)/);
    expect((await new Api(await started.ready(), 'email', key).send('{version}')).status).toBe(200);
    await started.stop();
  });

  it('on a database that fails between its opening and the first request names the fault, not HOST', async () => {
    const own = await Deployment.create({ PORT: '0' });
    const first = own.start();
    await first.ready();
    await first.stop();
    await own.query('no API breaks a schema', 'ALTER TABLE "Webhook" RENAME TO "Gone"');
    const server = own.start();
    expect(await server.exited).toBe(1);
    expect(server.output).toMatch(/platform-services did not start: .*Webhook.* does not exist/);
    expect(server.output).not.toContain('HOST');
    await own.remove();
  });
});

describeOnSmallDisk('a start on a read-only file system', () => {
  it('says so, for an existing and a missing folder', async () => {
    const disk = SmallDisk.mount(1);
    mkdirSync(join(disk.folder, 'data'));
    disk.mountAgain('ro');
    const deployment = await Deployment.create({ PORT: '0' });
    for (const name of ['data', 'new', 'new/below']) {
      const server = deployment.start({ DATA_DIR: join(disk.folder, name) });
      expect(await server.exited).toBe(1);
      expect(server.output).toMatch(/DATA_DIR must be a folder.* cannot be used: its file system is read-only \(EROFS\)\n$/);
    }
    await deployment.remove();
    disk.unmount();
  });
});

describe('a start with settings that have no effect', () => {
  it('warns of a name close to that of a setting, and of a missing browser, and so does doctor', async () => {
    const deployment = await Deployment.create({
      PORT: '0',
      SMPT_URL: 'smtp://mail.example.com',
      CHROMIUM_PATH: '/no/such/chromium',
    });
    const server = deployment.start();
    await server.until(/"level":40[^\n]*no setting has the name SMPT_URL\. Did you mean SMTP_URL\?/);
    await server.until(/"level":40[^\n]*CHROMIUM_PATH is not an executable program/);
    const { stdout } = await deployment.outcome('doctor');
    expect(stdout).toMatch(/^warning {2}settings .*SMPT_URL\n +did you mean SMTP_URL\?$/m);
    await deployment.remove();
  });
});

describe('a start with an earlier name of a setting', () => {
  it('hints at the present name, as does doctor; an option of either name takes precedence over variables', async () => {
    const deployment = await Deployment.create({
      PORT: '0',
      S3_ENDPOINT: '',
      MINIO_ENDPOINT: 'http://127.0.0.1:1',
      S3_ACCESS_KEY: 'a',
      S3_SECRET_KEY: 'b',
    });
    const server = deployment.start();
    await server.until(/"level":30[^\n]*earlier names are still accepted: MINIO_ENDPOINT is now S3_ENDPOINT"/);
    expect((await deployment.outcome('doctor')).stdout).toMatch(/^ok {7}settings .*MINIO_ENDPOINT is now S3_ENDPOINT$/m);
    for (const option of ['--s3-endpoint', '--minio-endpoint']) {
      const { stdout } = await deployment.outcome('doctor', option, 'http://127.0.0.1:2/path');
      expect(stdout).toMatch(/^failed {3}settings {5}S3_ENDPOINT must have no path/m);
    }
    expect((await deployment.outcome('--help')).stdout).not.toContain('minio-');
    await server.stop();
    await deployment.remove();
  });
});
