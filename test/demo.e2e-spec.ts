// @nightly: many starts of a command, and every page in a browser
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Api } from './support/api.js';
import { CHROMIUM, describeWithChromium } from './support/chromium.js';
import { Deployment } from './support/process.js';
import { until } from './support/websockets.js';

describe('the command demo', () => {
  let deployment: Deployment;
  let address: string;
  let key: string;
  const isGone = () => until(async () => !/^demo\t/m.test(await deployment.command('tenants', 'list')));
  const demo = (...args: string[]) => deployment.outcome('demo', ...args);
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0', TENANT_DELETION_QUIET_SECONDS: '10' });
    address = await deployment.start().ready();
  });
  afterAll(() => deployment.remove());

  it('creates nothing if no server answers', async () => {
    const { code, stderr } = await demo('--url', 'http://127.0.0.1:9');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'http://127.0.0.1:9 does not answer: start the server, or give its URL with --url\n',
    });
    expect(await deployment.keys('list')).not.toContain('\tdemo\t');
  });

  it('does not touch a tenant of the same name that somebody else created', async () => {
    const other = (await deployment.command('keys', 'create', '--tenant', 'demo', '--all-services')).trim();
    await new Api(address, 'file-management', other).ask('mutation{createFile(input:{name:"a"}){id}}');
    expect(await demo('--url', address)).toMatchObject({ code: 1, stdout: '' });
    expect(await demo('--remove')).toMatchObject({ code: 1, stderr: 'No tenant demo was created by this command\n' });
    const { files } = await new Api(address, 'file-management', other).ask('{files{items{name}}}');
    expect(files.items).toEqual([{ name: 'a' }]);
    await deployment.command('tenants', 'delete', 'demo', '--confirm', 'demo');
    await isGone();
  });

  it('fills a tenant of its own with objects of each service, and prints its key', async () => {
    const { code, stdout, stderr } = await demo('--url', address);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('240 records of 30 days') });
    key = stdout.trim();
    const ask = async (service: string, query: string) => (await new Api(address, service as never, key).ask(query)) as any;
    const { files } = await ask('file-management', '{files{items{status downloadUrl}}}');
    expect(files.items.map(({ status }: any) => status)).toEqual(Array(14).fill('done'));
    const { templates } = await ask('document-rendering', '{templates{items{name sampleParams}}}');
    for (const { name, sampleParams } of templates.items.filter((one: any) => one.sampleParams)) {
      const { render } = await ask(
        'document-rendering',
        `{render(input:{templateName:"${name}",params:${JSON.stringify(sampleParams)}}){missingParams warnings{path}}}`,
      );
      expect({ name, ...render }).toEqual({ name, missingParams: [], warnings: [] });
    }
    const states = async () => {
      const { messages } = await ask('email', '{messages{items{status sendAt}}}');
      const count = (wanted: string) => messages.items.filter(({ status }: any) => status === wanted).length;
      return [count('SENT'), count('FAILED'), count('QUEUED')];
    };
    await until(async () => (await states())[0] === 10);
    expect(await states()).toEqual([10, 1, 5]);
    const pushed = await ask('websockets-manager', '{messages{items{status}} globalMessages{items{id}}}');
    expect([pushed.messages.items.length, pushed.globalMessages.items.length]).toEqual([16, 1]);
    const { logs } = await ask('document-log', '{logs(limit:1000){items{id}}}');
    expect(logs.items).toHaveLength(240);
  });

  it('refuses to run twice, with what to do', async () => {
    const { code, stderr } = await demo('--url', address);
    expect([code, stderr]).toEqual([1, 'The tenant demo already exists: remove it with platform-services demo --remove\n']);
  });

  describeWithChromium('in Studio', () => {
    it('shows a page of each service without a fault, in both themes', async () => {
      const program = fileURLToPath(new URL('browser/studio-demo.mjs', import.meta.url));
      const scope = 'admin-api:query:* admin-api:mutation:*';
      const adminKey = (await deployment.keys('create', '--tenant', 'platform-admin', '--scope', scope)).trim();
      const run = promisify(execFile)(process.execPath, [program, address, key, adminKey], { env: { ...process.env, CHROMIUM } });
      const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
      expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
      expect(stdout + stderr).toMatch(/all checks passed\n$/);
    });
  });

  it('removes all of it again', async () => {
    expect(await demo('--remove')).toMatchObject({ code: 0 });
    await isGone();
    const { status } = await fetch(`${address}/key`, { headers: { 'x-api-key': key } });
    expect(status).toBe(401);
  });
});
