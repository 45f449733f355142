// @nightly: builds and starts what applications test with
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Platform, type PlatformOptions, startPlatform, type Tenant } from '../../clients/testing/dist/index.js';
import { FIRST_LINE, serving } from '../nodes/own-process.mjs';
import { CHROMIUM, describeWithChromium } from '../support/chromium.js';
import { SEND } from '../support/email.js';
import { runProgram } from '../support/language-clients.js';
import { Deployment, SERVER } from '../support/process.js';
import { Client, PUSH, REGISTER, until } from '../support/websockets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const command = [process.execPath, ...SERVER.slice(1, -1), `${root}dist/bundle/main.js`];
const start = (options: PlatformOptions = {}) => startPlatform({ command, ...options });
const mailTo = (address: string, more: object = {}) => ({ input: { to: { address }, subject: 's', textBody: 't', ...more } });

async function upload(tenant: Tenant, content: string, expiresIn?: number): Promise<{ id: string; status: number }> {
  const query = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
  const { createFile } = await tenant.request<any>('file-management', query, { input: expiresIn ? { expiresIn } : {} });
  const { status } = await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from(content) });
  return { id: createFile.id, status };
}

const fileOf = async (tenant: Tenant, id: string) =>
  (await tenant.request<any>('file-management', `{file(ID:"${id}"){status downloadUrl}}`)).file;

describeWithChromium('the page of the package', () => {
  it('shows how the content of an attached PDF is read', async () => {
    const readme = readFileSync(`${root}clients/testing/README.md`, 'utf8');
    const [, snippet] = /^## PDF\n.*?^```js\n(.*?)^```$/ms.exec(readme)!;
    const settings = `command: ${JSON.stringify(command)}, env: { CHROMIUM_PATH: ${JSON.stringify(CHROMIUM)} }`;
    const program = `import { startPlatform } from '${root}clients/testing/dist/index.js';\n${snippet}`;
    const printing = program.replace(/env: \{.*?\}/, settings);
    expect(await runProgram(process.execPath, ['--input-type=module', '-e', printing], root, {})).toMatchObject({
      status: 0,
      output: '',
    });
  });
});

describe('a shared platform', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await start();
  });
  afterAll(() => platform.stop());

  it('is shared by all callers with the same options', async () => {
    const [one, other, with_] = await Promise.all([
      start(),
      start(),
      start({ env: { LOG_LEVEL: 'warn', MAX_UPLOAD_BYTES: '3' } }),
    ]);
    expect([one.address, other.address]).toEqual([platform.address, platform.address]);
    expect(with_.address).not.toBe(platform.address);
    expect((await upload(await with_.newTenant(), 'four')).status).toBe(413);
    await Promise.all([one, other, with_].map((one) => one.stop()));
  });

  it('isolates tenants from each other', async () => {
    const [ann, ben] = await Promise.all([platform.newTenant(), platform.newTenant({ name: `ben-${Date.now()}` })]);
    const { id } = await upload(ann, 'of ann');
    expect(await fileOf(ben, id)).toBeNull();
    await ann.request('email', SEND, mailTo('a@example.com'));
    await ann.request('websockets-manager', PUSH, { input: { recipients: ['r'], message: 'm' } });
    expect((await ann.nextMail()).recipients).toEqual(['a@example.com']);
    expect([await ben.mails(), await ben.pushes()]).toEqual([[], []]);
    expect(await ann.pushes({ recipient: 'r' })).toMatchObject([{ message: 'm', status: 'CANCELLED' }]);
    expect(await ann.pushes({ recipient: 'other' })).toEqual([]);
  });

  it('marks messages in an inbox as their recipient would', async () => {
    const tenant = await platform.newTenant({
      scope: 'websockets-manager-api:query:* websockets-manager-api:mutation:pushMessage',
    });
    await tenant.request('websockets-manager', PUSH, { input: { recipients: ['ann'], message: 'm', inbox: true } });
    const [{ id, ...push } = { id: '' }] = await tenant.pushes();
    expect(push).toMatchObject({ status: 'PENDING', inbox: true, seenAt: null, readAt: null, archivedAt: null });
    expect([await tenant.mark('ann', [id], 'READ'), await tenant.mark('ann', [id], 'READ')]).toEqual([1, 0]);
    expect((await tenant.pushes())[0]!.readAt).toBeInstanceOf(Date);
  });

  it('returns each mail once, as recipients have it, and names what arrived instead', async () => {
    const tenant = await platform.newTenant();
    const { id } = await upload(tenant, 'attached');
    const attachments = [{ name: 'a.txt', fileId: id }];
    await tenant.request('email', SEND, mailTo('one@example.com', { bcc: { address: 'two@example.com' }, attachments }));
    const mail = await tenant.nextMail({ to: 'TWO@example.com' });
    expect(mail).toMatchObject({ subject: 's', text: 't', html: null, to: [{ address: 'one@example.com' }], cc: [] });
    expect(mail.attachments.map(({ name, content }) => [name, Buffer.from(content).toString()])).toEqual([['a.txt', 'attached']]);
    expect(mail.date.getTime()).toBeGreaterThan(Date.now() - 60_000);
    const missing = tenant.nextMail({ to: 'two@example.com', timeoutMs: 50 });
    await expect(missing).rejects.toThrow(
      'no new mail to two@example.com within 50 ms; mails were sent to one@example.com, two@example.com',
    );
    const waiting = tenant.nextMail({ to: 'later@example.com' });
    await tenant.request('email', SEND, mailTo('later@example.com'));
    expect((await waiting).recipients).toEqual(['later@example.com']);
  });

  it('returns the newest mail to an address again', async () => {
    const [tenant, other] = [await platform.newTenant(), await platform.newTenant()];
    await tenant.recordEvents();
    for (const subject of ['old', 'new']) {
      await tenant.request('email', SEND, mailTo('gone@example.com', { subject }));
      await tenant.nextMail({ to: 'gone@example.com' });
    }
    const bounce = await tenant.bounce('GONE@example.com', { diagnostic: '550 no such user' });
    expect(bounce).toMatchObject({ kind: 'HARD', code: '5.1.1', diagnostic: '550 no such user' });
    expect(bounce.at.getTime()).toBeGreaterThan(Date.now() - 60_000);
    const bounces = '{messages{items{subject recipients{bounce{kind}}}}}';
    expect((await tenant.request<any>('email', bounces)).messages.items).toMatchObject([
      { subject: 'new', recipients: [{ bounce: { kind: 'HARD' } }] },
      { subject: 'old', recipients: [{ bounce: null }] },
    ]);
    expect((await tenant.nextEvent({ type: 'recipient.bounced' })).data).toMatchObject({ subject: 'new' });
    expect(await tenant.bounce('gone@example.com', { kind: 'COMPLAINT' })).toMatchObject({ kind: 'COMPLAINT', code: null });
    for (const wrong of [other.bounce('gone@example.com'), platform.bounce('nobody@example.com')])
      await expect(wrong).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(tenant.bounce('gone@example.com', { kind: 'X' as never })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('suppresses an address like a mail server that reports a hard bounce or a complaint', async () => {
    const [tenant, other] = [await platform.newTenant(), await platform.newTenant()];
    const send = async (address: string, by = tenant) =>
      (await by.request<any>('email', SEND, mailTo(address))).sendMessage.id as string;
    const suppressed = async () => {
      const page = '{suppressions{items{address reason list messageId diagnostic}}}';
      return (await tenant.request<any>('email', page)).suppressions.items;
    };
    const first = await send('hard@example.com');
    for (const [address, kind] of [
      ['hard@example.com', 'HARD'],
      ['soft@example.com', 'SOFT'],
      ['late@example.com', 'DELAYED'],
      ['angry@example.com', 'COMPLAINT'],
    ] as const) {
      if (kind !== 'HARD') await send(address);
      await tenant.nextMail({ to: address });
      await platform.bounce(address, { kind });
    }
    expect(await suppressed()).toEqual([
      expect.objectContaining({ address: 'angry@example.com', reason: 'COMPLAINT', list: null }),
      { address: 'hard@example.com', reason: 'HARD_BOUNCE', list: null, messageId: first, diagnostic: null },
    ]);
    await tenant.recordEvents();
    const again = await send('hard@example.com');
    expect(await tenant.nextEvent({ type: 'message.failed' })).toMatchObject({ subject: again });
    const query = 'query($id:ID!){messages(filter:{id:$id}){items{recipients{status attempts suppressed bounce{kind}}}}}';
    expect((await tenant.request<any>('email', query, { id: again })).messages.items[0].recipients).toEqual([
      { status: 'FAILED', attempts: 0, suppressed: 'HARD_BOUNCE', bounce: null },
    ]);
    await send('hard@example.com', other);
    expect(await other.nextMail({ to: 'hard@example.com' })).toMatchObject({ subject: 's' });
  });

  it('returns each event once, from the call of recordEvents on, and names what arrived instead', async () => {
    const tenant = await platform.newTenant({ scope: 'file-management-api:mutation:* email-api:mutation:*' });
    await expect(tenant.nextEvent()).rejects.toThrow('call tenant.recordEvents() before the action');
    await upload(tenant, 'before');
    await Promise.all([tenant.recordEvents(), tenant.recordEvents()]);
    const [one, other] = [await upload(tenant, 'one'), await upload(tenant, 'other')];
    await tenant.request('email', SEND, mailTo('a@example.com'));
    const mail = await tenant.nextEvent<{ status: string }>({ service: 'email' });
    expect([mail.type, mail.source, mail.data.status]).toEqual(['message.sent', '/email', 'SENT']);
    const both = [tenant.nextEvent({ type: 'file.done', subject: other.id }), tenant.nextEvent({ type: 'file.done' })];
    expect((await Promise.all(both)).map(({ subject }) => subject).sort()).toEqual([one.id, other.id].sort());
    await tenant.request('email', SEND, mailTo('b@example.com'));
    await expect(tenant.nextEvent({ type: 'file.don', timeoutMs: 1_500 })).rejects.toThrow(
      /^no new event {"type":"file.don"} within 1500 ms; these wait: message\.sent of [\da-f-]+$/,
    );
    const waiting = tenant.nextEvent({ type: 'file.done' });
    const { id } = await upload(tenant, 'late');
    expect((await waiting).subject).toBe(id);
  });

  it('creates keys with few rights, and reports refusals with their code', async () => {
    const tenant = await platform.newTenant({ scope: 'file-management-api:query:*' });
    const refused = tenant.request('file-management', 'mutation{createFile{id}}');
    await expect(refused).rejects.toMatchObject({ name: 'PlatformError', code: 'FORBIDDEN' });
    expect(await tenant.newKey('file-management-api:mutation:createFile')).toMatch(/^psk_/);
    await expect(tenant.newKey('nonsense')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(platform.newTenant({ name: '' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('allows clock and faults only without sharing', () => {
    expect(() => platform.clock).toThrow(/exclusive: true/);
    expect(() => platform.faults).toThrow(/exclusive: true/);
  });
});

describe('an exclusive platform', () => {
  let platform: Platform;
  let tenant: Tenant;
  beforeAll(async () => {
    platform = await start({ exclusive: true });
    tenant = await platform.newTenant();
  });
  afterAll(() => platform.stop());
  afterEach(async () => {
    for (const part of ['mail', 'store', 'bus'] as const) await platform.faults.fix(part);
  });

  it('lets fallbacks fall due without waiting', async () => {
    const fallback = { after: 86_400, to: [{ address: 'bob@example.com' }], subject: 'missed', textBody: 't' };
    await tenant.request('websockets-manager', PUSH, { input: { recipients: ['bob'], message: 'm', fallback } });
    const [waiting] = await tenant.fallbacks({ recipient: 'bob' });
    expect(waiting).toMatchObject({ recipient: 'bob', state: 'WAITING', emailId: null, error: null });
    await platform.clock.advance('1d');
    const { id } = await tenant.nextMail({ to: 'bob@example.com' });
    expect(await tenant.fallbacks()).toMatchObject([{ messageId: waiting!.messageId, state: 'SENT', emailId: id }]);
  });

  it('lets everything expire without waiting, and holds connections open', async () => {
    const { id } = await upload(tenant, 'expires', 3_600);
    const { registerRecipient } = await tenant.request<any>('websockets-manager', REGISTER, { input: { recipient: 'ann' } });
    const open = await Client.open(registerRecipient.connectionUri);
    const { downloadUrl } = await fileOf(tenant, id);
    const waits = { recipients: ['nobody'], message: 'm', expiresAt: new Date(Date.now() + 1_800_000).toISOString() };
    await tenant.request('websockets-manager', PUSH, { input: waits });
    expect((await fetch(downloadUrl)).status).toBe(200);
    const before = await platform.clock.now();
    const after = await platform.clock.advance('61m');
    expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(61 * 60_000);
    expect((await fetch(downloadUrl)).status).not.toBe(200);
    expect((await fileOf(tenant, id)).status).toBe('expired');
    await until(async () => (await tenant.pushes({ recipient: 'nobody' }))[0]?.status === 'CANCELLED');
    await tenant.request('websockets-manager', PUSH, { input: { recipients: ['ann'], message: 'still here' } });
    await until(() => open.texts.includes('still here'));
    open.socket.terminate();
    await expect(platform.clock.advance('1 week' as '1d')).rejects.toThrow('is no duration');
    await expect(platform.clock.advance(1e15)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('without a mail server queues mails, and sends them once it is up', async () => {
    await platform.faults.break('mail');
    const { sendMessage } = await tenant.request<any>('email', SEND, mailTo('late@example.com'));
    const isTried = async () =>
      (await tenant.request<any>('email', '{messages{items{lastError}}}')).messages.items[0].lastError !== null;
    await until(isTried);
    expect(await tenant.mails({ to: 'late@example.com' })).toEqual([]);
    await platform.faults.fix('mail');
    await platform.clock.advance('1h');
    expect((await tenant.nextMail({ to: 'late@example.com' })).id).toBe(sendMessage.id);
  });

  it('without its store refuses uploads, and loses nothing', async () => {
    const { id } = await upload(tenant, 'kept');
    await platform.faults.break('store');
    expect((await upload(tenant, 'refused')).status).toBe(503);
    expect((await fetch((await fileOf(tenant, id)).downloadUrl)).status).toBe(503);
    await platform.faults.fix('store');
    expect(await (await fetch((await fileOf(tenant, id)).downloadUrl)).text()).toBe('kept');
  });

  it('without its bus says so, and recovers', async () => {
    const bus = async () => {
      const ready = await fetch(`${platform.address}/health/ready`);
      return ((await ready.json()) as { checks: { bus: string } }).checks.bus;
    };
    await platform.faults.break('bus');
    await until(async () => (await bus()) === 'unavailable');
    await platform.faults.fix('bus');
    await until(async () => (await bus()) === 'ok');
  });
});

describe('the end of', () => {
  const HOLDER = `
    import { startPlatform } from ${JSON.stringify(new URL('../../clients/testing/dist/index.js', import.meta.url).href)};
    const platform = await startPlatform({ command: ${JSON.stringify(command)}, exclusive: true });
    console.log(platform.address);
    setInterval(() => {}, 1000);`;
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('platform-services-own-'));
  const isServing = async (address: string) => (await fetch(`${address}/health/live`).catch(() => undefined)) !== undefined;

  async function held(): Promise<{ holder: ChildProcess; address: string; folder: string }> {
    const before = new Set(folders());
    const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const address = await serving(holder, FIRST_LINE, holder.stdout);
    const folder = folders().find((name) => !before.has(name) && stateOf(name)?.address === address);
    return { holder, address, folder: `${tmpdir()}/${folder!}` };
  }
  const stateOf = (name: string) => {
    const file = `${tmpdir()}/${name}/state.json`;
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { address: string }) : undefined;
  };

  it('a test run, also by kill -9, ends its server and removes its data', async () => {
    const { holder, address, folder } = await held();
    expect([await isServing(address), existsSync(`${folder}/data`)]).toEqual([true, true]);
    holder.kill('SIGKILL');
    await until(() => !existsSync(folder));
    expect(await isServing(address)).toBe(false);
  });

  it('the supervisor by kill -9 ends its server too', async () => {
    const { holder, address, folder } = await held();
    process.kill(Number(readFileSync(`${folder}/pid`, 'utf8')), 'SIGKILL');
    await until(async () => !(await isServing(address)));
    holder.kill('SIGKILL');
  });

  it('a server that cannot start is reported with its reason', async () => {
    await expect(start({ exclusive: true, env: { MAX_UPLOAD_BYTES: 'many' } })).rejects.toThrow(
      /^platform-services did not start: .*MAX_UPLOAD_BYTES must be a whole number/s,
    );
  });
});

describe('TESTING_KEY', () => {
  const key = 'a key of tests only';

  it('enables nothing if it is not set, and is named in the error', async () => {
    const deployments = await Promise.all([Deployment.create(), Deployment.create()]);
    try {
      const closed = deployments[0]!.start({ PORT: '0' });
      const open = deployments[1]!.start({ PORT: '0', TESTING_KEY: key });
      const ask = async (address: string, headers: Record<string, string>) =>
        (await fetch(`${address}/testing/mails`, { headers })).status;
      expect(await ask(await closed.ready(), { 'x-testing-key': key })).toBe(404);
      expect(await ask(await open.ready(), { 'x-testing-key': `${key}!` })).toBe(401);
      expect(await ask(await open.ready(), {})).toBe(401);
      expect(await ask(await open.ready(), { 'x-testing-key': key })).toBe(200);
    } finally {
      for (const deployment of deployments) await deployment.remove();
    }
  });

  it.each([
    [{ NODE_ENV: 'production' }, /must not be set where NODE_ENV is production/],
    [{ REDIS_URL: 'redis://127.0.0.1:1', SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'a@b.c' }, /leave out REDIS_URL, SMTP_URL/],
    [{ WORKERS: '2' }, /leave out WORKERS/],
    [{ TESTING_KEY: 'short' }, /TESTING_KEY must have 16 characters or more/],
  ])('is refused with %j', async (settings, reason) => {
    const deployment = await Deployment.create();
    const server = deployment.start({ PORT: '0', TESTING_KEY: key, ...(settings as Record<string, string>) });
    expect(await server.exited).toBe(1);
    expect(server.output).toMatch(reason);
    await deployment.remove();
  });
});
