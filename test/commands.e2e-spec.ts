import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ALL_SCOPES, SERVICES } from '../src/common/auth/scopes.js';
import { CLI, Deployment } from './support/process.js';

const CREATE = ['keys', 'create', '--tenant', 'acme', '--scope', 'email-api:query:*'];

describe('a command before the first start of a server', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.create();
  });
  afterAll(() => deployment.remove());

  /** Commands that work on data, and create none. */
  const commands = [
    ['keys', 'list'],
    ['keys', 'revoke', 'x'],
    ['keys', 'bind', 'x'],
    ['tenants', 'list'],
    ['tenants', 'suspend', 'acme'],
    ['files', 'reconcile'],
    ['rotate'],
    ['rotate', '--status'],
    ['email', 'bounces'],
  ];

  it.each(commands)('%s %s reports that there is no database and what to do, and creates nothing', async (...command) => {
    const { code, stdout, stderr } = await deployment.outcome(...command.filter(Boolean));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^(There is no database \/\S+platform-services\.db|DATABASE_URL names a database that no server .*): set DATA_DIR or .*\n$/,
    );
    expect(readdirSync(deployment.dataDir)).toEqual([]);
  });

  it('keys create creates the database that the settings name, and other commands find it', async () => {
    await deployment.command(...CREATE);
    expect(await deployment.keys('list')).toContain('\tacme\t');
  });
});

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

  it.each([CREATE, ['migrate'], ['rotate', '--generate'], ['backup', 'copy']])(
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

describe('keys create', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.create();
  });
  afterAll(() => deployment.remove());

  const create = (...options: string[]) => deployment.outcome('keys', 'create', '--tenant', 'acme', ...options);
  const queries = SERVICES.map((service) => `${service}-api:query:*`).join(' ');

  it.each([
    ['all operations of all services', ALL_SCOPES, ['--all-services']],
    ['the queries of all services', queries, ['--all-services', '--read-only']],
    ['a service', 'email-api:query:* email-api:mutation:*', ['--service', 'email']],
    [
      'services, and what a scope adds',
      'document-log-api:query:logs email-api:query:* file-management-api:query:*',
      ['--service', 'email', '--service', 'file-management', '--read-only', '--scope', 'document-log-api:query:logs'],
    ],
  ])('accepts options for %s', async (_, scope, options) => {
    const { code, stdout } = await create(...options);
    expect(code).toBe(0);
    const line = (await deployment.keys('list')).split('\n').find((text) => text.includes(stdout.slice(0, 12)))!;
    expect(line.split('\t')[3]).toBe(scope);
  });

  it.each([
    ['no right', [], /^scope: is required, unless --all-services/],
    ['only --read-only', ['--read-only'], /^scope: is required/],
    ['a service twice over', ['--all-services', '--service', 'email'], /^service: conflicts with --all-services/],
    [
      'a mutation for reading only',
      ['--read-only', '--scope', 'email-api:mutation:*'],
      /^scope: has email-api:mutation:\*, which/,
    ],
    ['an unknown service', ['--service', 'mail'], /must be one of file-management, /],
  ])('refuses %s', async (_, options, reason) => {
    const { code, stdout, stderr } = await create(...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(reason);
  });
});

describe('an invalid command line', () => {
  it.each([
    ['an unknown command', ['serve'], /too many arguments|unknown command/],
    ['an unknown subcommand', ['keys', 'crate'], /unknown command 'crate'\n\(Did you mean create\?\)/],
    ['a group without a command', ['keys'], /^Usage: platform-services keys/],
    ['an unknown option', ['keys', 'list', '--tenants', 'a'], /unknown option '--tenants'/],
    ['a missing argument', ['keys', 'revoke'], /missing required argument 'id'/],
    ['a value of another form', ['tenants', 'limits', 'a', '--files', 'few'], /must be a whole number/],
  ])('exits with 2 for %s, and a failure with 1', async (_, args, reason) => {
    const deployment = await Deployment.create();
    expect(await deployment.outcome(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
    expect(await deployment.outcome('keys', 'list')).toMatchObject({ code: 1 });
    expect(await deployment.outcome('--help')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: /) });
    await deployment.remove();
  });
});
