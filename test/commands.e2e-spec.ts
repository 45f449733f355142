import { readdirSync } from 'node:fs';
import { ALL_SCOPES, SERVICES } from '../src/common/auth/scopes.js';
import { Deployment } from './support/process.js';

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
});
