import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../nodes/free-port.mjs';
import { NameServer } from '../nodes/name-server.mjs';
import { endOwn, FIRST_LINE, serving, spawnOwn } from '../nodes/own-process.mjs';
import { needing, program } from '../support/needs.js';
import { OwnRedis } from '../support/redis.js';

const ABSENT = 'no-such-program';
const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const { resolve } = createRequire(import.meta.url);

describe('a run of tests', () => {
  let folder: string;
  let skipped: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'needs-'));
    skipped = join(folder, 'skipped');
    const parser = { syntax: 'typescript' };
    const config = {
      testEnvironment: pathOf('test/native/environment.mjs'),
      testTimeout: 600_000,
      transform: { '\\.ts$': [resolve('@swc/jest'), { jsc: { parser, target: 'es2022' }, module: { type: 'es6' } }] },
      extensionsToTreatAsEsm: ['.ts'],
    };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs a spec, and returns the state and the failure of each test. */
  function run(name: string, source: string, more: Record<string, string> = {}): [string, string][] {
    writeFileSync(join(folder, `${name}.spec.ts`), source);
    const NODE_OPTIONS = '--experimental-vm-modules --no-warnings';
    const env = { ...process.env, TEST_SKIPPED: skipped, NODE_OPTIONS, ...more };
    const options = { cwd: folder, env, encoding: 'utf8', timeout: 120_000 } as const;
    const { stdout } = spawnSync(process.execPath, [resolve('jest/bin/jest'), '--json'], options);
    const [{ assertionResults }] = JSON.parse(stdout).testResults;
    return assertionResults.map(({ status, failureMessages: [text = ''] }: any) => [status, text.split('\n')[0]]);
  }

  it('skips a test without a program that it needs, and notes the program with the name of the spec', () => {
    const source = `
      import { needing, program } from ${JSON.stringify(pathOf('test/support/needs.ts'))};
      needing(program('${ABSENT}')).describe('a group', () => {
        beforeAll(() => { throw new Error('no hook runs'); });
        it('skips', () => undefined);
      });
      needing(program(process.execPath)).it('runs', () => undefined);`;
    expect(run('sample', source).map(([status]) => status)).toEqual(['pending', 'passed']);
    expect(JSON.parse(readFileSync(skipped, 'utf8'))).toEqual({ name: ABSENT, spec: 'sample' });
  });

  it('stops its workers when it is killed while tests hang', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const hang = `it('hangs', () => new Promise(() => require('node:net').connect(${port}, '127.0.0.1')));`;
    for (const name of ['one', 'other']) writeFileSync(join(folder, `${name}.spec.cjs`), hang);
    const args = [resolve('jest/bin/jest'), '--maxWorkers', '2', '--testMatch', '**/*.spec.cjs'];
    const run = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
    const ended: Promise<unknown>[] = [];
    const accept = (socket: Socket) => ended.push(once(socket.on('error', () => undefined).resume(), 'close'));
    await new Promise<void>((done) => server.on('connection', (socket) => accept(socket) === 2 && done()));
    run.kill('SIGKILL');
    await Promise.all(ended);
    server.close();
  });

  it('stops a spec whose tests hang, and names the tests that it did not run', () => {
    const hang = "it('hangs', () => new Promise(() => undefined));\n";
    expect(run('hanging', hang.repeat(3), { TEST_SUITE_SECONDS: '5' })).toEqual([
      ['failed', expect.stringContaining('Exceeded timeout of')],
      ['failed', 'Error: not run: the file took more than 5 s'],
      ['failed', 'Error: not run: the file took more than 5 s'],
    ]);
  });
});

describe('a helper that starts a program', () => {
  it('fails where the program is not installed', () => {
    expect(() => spawnOwn(ABSENT, [], {})).toThrow(
      expect.objectContaining({ code: 'ENOENT', message: expect.stringContaining(ABSENT) }),
    );
  });

  it('fails with the output of a program that ends before it serves', async () => {
    const child = spawnOwn(process.execPath, ['-e', 'process.stdout.write("too early"); process.exitCode = 3'], {});
    await expect(serving(child, FIRST_LINE, child.stdout!)).rejects.toThrow(/ ended with 3: too early$/);
  });

  it('can stop a program that has ended', async () => {
    const child = spawnOwn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await endOwn(child);
    await endOwn(child);
  });

  needing(program('dnsmasq')).it('fails with what a name server said that did not come up, and can be stopped', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    const names = new NameServer(port);
    await expect(names.add()).rejects.toThrow(/dnsmasq .* ended with \d+: .*in use/s);
    await names.stop();
    other.close();
  });

  needing(program('redis-server')).it('fails where Redis ends at once', async () => {
    await expect(OwnRedis.start('--no-such-option', 'yes')).rejects.toThrow(/redis-server .* ended with 1/);
  });
});
