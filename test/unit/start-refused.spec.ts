// @nightly: many starts of a node
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Api } from '../support/api.js';
import { Deployment, freePort } from '../support/process.js';

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
  ])('with %j says why in one line', async (settings, message) => {
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
    ['DATA_DIR', { DATA_DIR: '/sys/nobody-may-write-here' }, /DATA_DIR must be a folder.*cannot be used: E/],
    ['DATA_DIR', { DATA_DIR: FILE, DATABASE_URL: `file:${OTHER}` }, /DATA_DIR must be a folder.*there is a file in its place/],
  ])('because of %s = %j names that setting', async (_, settings, message) => {
    const server = deployment.start(settings as Record<string, string>);
    expect(await server.exited).toBe(1);
    const said = server.output.split('\n').filter((line) => line.startsWith('platform-services did not start: '));
    expect(said).toEqual([expect.stringMatching(message)]);
  });

  it('on a port that is taken says so, and leaves the first key for the start that succeeds', async () => {
    const port = await freePort();
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const refused = deployment.start({ PORT: String(port) });
    expect(await refused.exited).toBe(1);
    expect(refused.output).toContain(`PORT ${port} is in use by another program; choose another port`);
    expect(refused.output).not.toMatch(/psk_/);
    taken.close();

    const started = deployment.start({ PORT: String(port) });
    const key = await started.until(/psk_\w+(?=\n)/);
    expect((await new Api(await started.ready(), 'email', key).send('{version}')).status).toBe(200);
    await started.stop();
  });
});
