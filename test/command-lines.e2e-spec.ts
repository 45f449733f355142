// @nightly postgresql: no SQL of its own
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CLI, Deployment } from './support/process.js';

const CREATE = ['keys', 'create', '--tenant', 'acme'];

describe('a command in a folder without data or settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-elsewhere-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
      const [program, ...first] = CLI;
      const file = resolve(first.pop()!);
      execFile(program, [...first, file, ...args], { cwd: folder, env: { PATH: process.env.PATH } }, (error, stdout, stderr) =>
        done({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });

  it.each([[...CREATE, '--scope', 'email-api:query:*'], ['migrate'], ['rotate', '--generate'], ['backup', 'copy']])(
    '%s %s creates no second database there',
    async (...command) => {
      const { code, stderr } = await run(...command);
      expect(code).toBe(1);
      expect(stderr).toContain(`There is no database ${join(folder, 'data', 'platform-services.db')}`);
      expect(stderr).toContain('set DATA_DIR or DATABASE_URL');
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('doctor reports where it looked', async () => {
    const { stdout } = await run('doctor', '--json', '--port', '0');
    expect(stdout).toContain(`no ${join(folder, 'data', 'platform-services.db')} yet: the first start creates it`);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an invalid command line', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.create();
  });
  afterAll(() => deployment.remove());

  it.each([
    ['an unknown command', ['serve'], /too many arguments|unknown command/],
    ['an unknown subcommand', ['keys', 'crate'], /unknown command 'crate'\n\(Did you mean create\?\)/],
    ['a group without a command', ['keys'], /^Usage: platform-services keys/],
    ['an unknown option', ['keys', 'list', '--tenants', 'a'], /unknown option '--tenants'/],
    ['a missing argument', ['keys', 'revoke'], /missing required argument 'id'/],
    ['a value of another form', ['tenants', 'limits', 'a', '--files', 'few'], /must be a whole number/],
    [
      'a limit of nothing',
      ['tenants', 'limits', 'shop', '--files', '0'],
      /must be a whole number from 1 to 9007199254740991, default or unlimited/,
    ],
    ['a size in place of a number', ['tenants', 'limits', 'shop', '--files', '1GiB'], /must be a whole number/],
    [
      'a fraction of a size',
      ['tenants', 'limits', 'shop', '--stored-bytes', '1.5GiB'],
      /optionally with KiB, MiB, GiB or TiB, default or unlimited/,
    ],
    ['a size beyond any', ['tenants', 'limits', 'shop', '--stored-bytes', '9000000TiB'], /must be a whole number/],
  ])('exits with 2 for %s', async (_, args, reason) => {
    expect(await deployment.outcome(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
  });

  it.each([
    ['a key with no right', [], /^scope: is required, unless --all-services/],
    ['a key with only --read-only', ['--read-only'], /^scope: is required/],
    ['a key with a service twice over', ['--all-services', '--service', 'email'], /^service: conflicts with --all-services/],
    [
      'a key with a mutation for reading only',
      ['--read-only', '--scope', 'email-api:mutation:*'],
      /^scope: has email-api:mutation:\*, which/,
    ],
    ['a key of an unknown service', ['--service', 'mail'], /must be one of file-management, /],
  ])('exits with 2 for %s', async (_, options, reason) => {
    const { code, stdout, stderr } = await deployment.outcome(...CREATE, ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(reason);
  });

  it('differs from a failure, which exits with 1, and from a request for help', async () => {
    expect(await deployment.outcome('keys', 'list')).toMatchObject({ code: 1 });
    expect(await deployment.outcome('--help')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: /) });
  });
});
