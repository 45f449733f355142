import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { SEND, someone } from './support/email.js';
import { Deployment } from './support/process.js';
import { CREATE, CREATE_CSS } from './support/rendering.js';
import { TestServer } from './support/server.js';
import { lastTimeOf } from './support/time.js';
import { inSeconds, Push, PUSH, until } from './support/websockets.js';

const CREATE_FILE = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
const LIMITS = {
  TENANT_MAX_STORED_BYTES: '1000',
  TENANT_MAX_FILES: '20',
  TENANT_MAX_WAITING_MESSAGES: '10',
  TENANT_MAX_TEMPLATES: '5',
  TENANT_MAX_STYLESHEETS: '3',
  TENANT_MAX_MAILS_PER_DAY: '4',
};

const codesOf = async (answers: ReturnType<Api['send']>[]) =>
  (await Promise.all(answers)).map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok').sort();
const outcome = (ok: number, code: string, refused: number): string[] => [
  ...Array<string>(refused).fill(code),
  ...Array<string>(ok).fill('ok'),
];
const times = <T>(count: number, work: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => work(index));

describe('a tenant with limits', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start(LIMITS);
  });
  afterAll(() => server.stop());

  const put = (url: string, bytes: number) => fetch(url, { method: 'PUT', body: Buffer.alloc(bytes) });
  const newFile = async (api: Api) => (await api.ask(CREATE_FILE)).createFile as { id: string; uploadUrl: string };

  it('has at most its number of files, however many are created concurrently, and room again for deleted ones', async () => {
    const api = await server.api('file-management');
    const codes = await codesOf(times(60, () => api.send(CREATE_FILE)));
    expect(codes).toEqual(outcome(20, 'PAYLOAD_TOO_LARGE', 40));
    const { message } = await api.refusal(CREATE_FILE);
    expect(message).toBe('The tenant may have at most 20 files and has 20; delete some first');
    const { files } = await api.ask('{files(limit:2){items{id}}}');
    for (const { id } of files.items) await api.ask(`mutation{deleteFile(id:"${id}"){id}}`);
    expect(await codesOf(times(5, () => api.send(CREATE_FILE)))).toEqual(outcome(2, 'PAYLOAD_TOO_LARGE', 3));
    expect((await (await server.api('file-management')).send(CREATE_FILE)).errors).toBeUndefined();
  });

  it('stores at most its bytes: an upload over the limit is refused with 413 before it is read', async () => {
    const api = await server.api('file-management');
    const files = await Promise.all(times(10, () => newFile(api)));
    const statuses = await Promise.all(files.map(async ({ uploadUrl }) => (await put(uploadUrl, 300)).status));
    expect(statuses.sort()).toEqual([...times(3, () => 200), ...times(7, () => 413)]);
    const other = await newFile(api);
    const refused = await put(other.uploadUrl, 101);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      {
        code: 'PAYLOAD_TOO_LARGE',
        message: 'The tenant may store at most 1000 bytes, has 900, and this adds 101; delete some files first',
      },
    ]);
    expect((await api.ask(`{file(ID:"${other.id}"){status}}`)).file.status).toBe('uploading');
    expect((await put(other.uploadUrl, 100)).status).toBe(200);
    expect((await api.ask('{storageUsed{fileSize}}')).storageUsed.fileSize).toBe(1_000);
  });

  it('can replace content within its bytes, and with smaller content when it is over them', async () => {
    const api = await server.api('file-management');
    const [one, two] = [await newFile(api), await newFile(api)];
    expect((await put(one.uploadUrl, 600)).status).toBe(200);
    expect((await put(two.uploadUrl, 400)).status).toBe(200);
    expect((await put(one.uploadUrl, 600)).status).toBe(200);
    expect((await put(one.uploadUrl, 601)).status).toBe(413);
    expect((await put(one.uploadUrl, 100)).status).toBe(200);
    expect((await put(two.uploadUrl, 900)).status).toBe(200);
  });

  it('has at most its number of templates and stylesheets', async () => {
    const api = await server.api('document-rendering');
    const template = (index: number) => ({ name: `t${index}`, type: 'document', body: 'b', contentType: 'html' });
    const templates = await codesOf(times(12, (index) => api.send(CREATE, { input: template(index) })));
    expect(templates).toEqual(outcome(5, 'PAYLOAD_TOO_LARGE', 7));
    const { message } = await api.refusal(CREATE, { input: template(99) });
    expect(message).toBe('The tenant may have at most 5 templates and has 5; delete some first');
    const stylesheets = await codesOf(times(8, () => api.send(CREATE_CSS, { input: { name: 'c' } })));
    expect(stylesheets).toEqual(outcome(3, 'PAYLOAD_TOO_LARGE', 5));
  });

  it('has at most its number of queued messages; those that cannot wait are not counted', async () => {
    const push = new Push(await server.api('websockets-manager'));
    const send = (recipients: string[], rest: object = { expiresAt: inSeconds(600) }) =>
      push.api.send(PUSH, { input: { recipients, message: 'm', ...rest } });
    await push.pushGlobal('g', { expiresAt: inSeconds(600) });
    const codes = await codesOf(times(8, (index) => send([`a${index}`, `b${index}`])));
    expect(codes).toEqual(outcome(4, 'RATE_LIMITED', 4));
    expect((await send(['c'])).errors).toBeUndefined();
    const { message } = await push.api.refusal(PUSH, { input: { recipients: ['d'], message: 'm', expiresAt: inSeconds(600) } });
    expect(message).toMatch(/^The tenant has 10 waiting messages of at most 10, and this push adds 1; retry later/);
    expect((await send(['d', 'e', 'f'], {})).errors).toBeUndefined();
    const client = await push.connect('c');
    await client.received(2);
    await until(async () => (await send(['d'])).errors === undefined);
    client.close();
  });

  it('sends at most its mails a day, and is told when it may send again; a repeat does not count', async () => {
    const api = await server.api('email');
    const input = () => ({ to: { address: someone() }, subject: 's', textBody: 't' });
    const repeated = { ...input(), idempotencyKey: 'key' };
    const first = await api.ask(SEND, { input: repeated });
    const codes = await codesOf(times(9, () => api.send(SEND, { input: input() })));
    expect(codes).toEqual(outcome(3, 'RATE_LIMITED', 6));
    expect(await api.ask(SEND, { input: repeated })).toEqual(first);
    const { message } = await api.refusal(SEND, { input: input() });
    const [, until] = /^The tenant has reached its limit of 4 emails per day; retry from (\S+T00:00:00\.000Z) on$/.exec(message)!;
    expect(Date.parse(until!) - Date.now()).toBeGreaterThan(0);
    expect(Date.parse(until!) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  });
});

describe('the limits command', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.create({ TENANT_MAX_FILES: '100000' });
  });
  afterAll(() => deployment.remove());

  const tenants = (...args: string[]) => deployment.command('tenants', ...args);

  it('shows and sets the limits of a tenant while a server runs, and they apply within 5 seconds', async () => {
    const key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
    await deployment.keys('create', '--tenant', 'other', '--scope', ALL_SCOPES);
    const address = await deployment.start({ PORT: '0' }).ready();
    const api = new Api(address, 'file-management', key);
    for (const { uploadUrl } of [(await api.ask(CREATE_FILE)).createFile, (await api.ask(CREATE_FILE)).createFile]) {
      await fetch(uploadUrl, { method: 'PUT', body: Buffer.alloc(50) });
    }
    const lines = (await tenants('list')).split('\n').map((line) => line.split('\t'));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(lines).toEqual([
      ['shop', time, '100/-', '2/100000', '0/-', '0/-', '0/-', '0/-', '0/-'],
      ['other', time, '0/-', '0/100000', '0/-', '0/-', '0/-', '0/-', '0/-'],
    ]);
    const set = await tenants('limits', 'shop', '--stored-bytes', '10GiB', '--files', '2', '--mails-per-day', 'unlimited');
    const setAt = Date.now();
    expect(set.split('\n')).toEqual([
      'stored-bytes\t10737418240\t100\town',
      'files\t2\t2\town',
      'waiting-messages\tunlimited\t0\tdefault',
      'templates\tunlimited\t0\tdefault',
      'stylesheets\tunlimited\t0\tdefault',
      'mails-per-day\tunlimited\t0\town',
      'waiting-events\tunlimited\t0\tdefault',
    ]);
    expect(await lastTimeOf(async () => (await api.send(CREATE_FILE)).errors === undefined)).toBeLessThan(setAt + 5_000);
    expect((await api.refusal(CREATE_FILE)).code).toBe('PAYLOAD_TOO_LARGE');
    await tenants('limits', 'shop', '--files', 'default');
    expect(await tenants('limits', 'shop')).toContain('files\t100000\t');
    await until(async () => (await api.send(CREATE_FILE)).errors === undefined);
  });

  it.each([
    [['limits', 'nobody', '--files', '1'], /Tenant nobody does not exist/],
    [['limits', 'nobody'], /Tenant nobody does not exist/],
  ])('refuses %j with the reason', async (args, message) => {
    await expect(tenants(...args)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(message),
    });
  });
});
