// @nightly postgresql: no SQL of its own
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { spawnOwn } from './nodes/own-process.mjs';
import type { Api } from './support/api.js';
import { CLI, freePort } from './support/process.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';
import { eventsOf, Receiver, Webhooks } from './support/webhooks.js';

const BARE = { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/' };

/** The command as its own process. */
class Listener {
  out = '';
  complaints = '';
  readonly exited: Promise<number>;
  private readonly child: ChildProcess;

  constructor(args: string[], env: Record<string, string>) {
    const command = [...CLI, 'webhooks', 'listen', ...args];
    this.child = spawnOwn(command[0]!, command.slice(1), { env: { ...BARE, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout!.on('data', (chunk) => (this.out += String(chunk)));
    this.child.stderr!.on('data', (chunk) => (this.complaints += String(chunk)));
    this.exited = new Promise((resolve) => this.child.once('close', (code) => resolve(code ?? -1)));
  }

  /** Returns the secret once events are forwarded. */
  async ready(): Promise<string> {
    await until(() => this.out.includes('forwarding\t') || this.child.exitCode !== null);
    return /^secret\t(\S+)$/m.exec(this.out)![1]!;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    this.child.kill(signal);
    return this.exited;
  }
}

describe('the command webhooks listen', () => {
  let server: TestServer;
  let receiver: Receiver;
  const started: Listener[] = [];
  beforeAll(async () => {
    server = await TestServer.start();
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    receiver.answer = () => ({ status: 204 });
    await Promise.all(started.splice(0).map((one) => one.stop('SIGKILL')));
  });
  afterAll(async () => {
    await receiver.stop();
    await server.stop();
  });

  function listen(key: string, ...args: string[]): Listener {
    const env = { PLATFORM_KEY: key, PLATFORM_URL: server.address };
    const listener = new Listener(['--forward', receiver.url, ...args], env);
    started.push(listener);
    return listener;
  }

  async function createFile(api: Api): Promise<string> {
    const { createFile } = await api.ask('mutation{createFile{id uploadUrl}}');
    expect((await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from('x') })).ok).toBe(true);
    return createFile.id;
  }

  it('forwards the events of all services to a URL, signed as webhooks are, until it is stopped', async () => {
    const key = await server.createKey();
    const [files, rendering] = [await server.api('file-management', key), await server.api('document-rendering', key)];
    const listener = listen(key);
    const secret = await listener.ready();
    const first = await createFile(files);
    await rendering.ask('mutation{createTemplate(input:{name:"t",type:document,contentType:plain,body:"Größe"}){id}}');
    await files.ask('mutation($id:String){deleteFile(id:$id){id}}', { id: first });
    const got = await receiver.until(3);
    const events = got.map(({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>) as any);
    expect(events.map(({ type }) => type).sort()).toEqual(['file.deleted', 'file.done', 'template.created']);
    expect(events.filter(({ subject }) => subject === first).map(({ type }) => type)).toEqual(['file.done', 'file.deleted']);
    expect(got[0]!.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': expect.stringMatching(/^platform-services\/\d/),
      'webhook-id': events[0].id,
    });
    expect(listener.out).toMatch(new RegExp(`^\\S+\tfile\\.done\t${first}\t204 in \\d+ ms$`, 'm'));
    const hooks = new Webhooks(server, files);
    const [webhook] = await hooks.all();
    const settled = await hooks.settled(webhook.id, 2);
    expect(settled.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED']);
    expect(eventsOf(settled).map(({ id }) => id)).toEqual(events.filter(({ subject }) => subject === first).map(({ id }) => id));
    expect(await listener.stop('SIGINT')).toBe(0);
    expect([await hooks.all(), await new Webhooks(server, rendering).all(), listener.complaints]).toEqual([[], [], '']);
    expect(await listen(key).ready()).toBe(secret);
  });

  it('resends an event until it is accepted, and meanwhile those of others', async () => {
    const key = await server.createKey();
    const files = await server.api('file-management', key);
    const listener = listen(key, '--service', 'file-management', '--events', 'file.done', '--secret', `whsec_${'A'.repeat(32)}`);
    expect(await listener.ready()).toBe(`whsec_${'A'.repeat(32)}`);
    expect(await new Webhooks(server, files).all()).toMatchObject([{ url: 'poll:', events: ['FILE_DONE'] }]);
    const refused = await createFile(files);
    const before = receiver.received.length;
    const isOf = (id: string) => (one: { body: string }) => one.body.includes(id);
    receiver.answer = (one) => ({ status: isOf(refused)(one) && receiver.received.filter(isOf(refused)).length < 2 ? 500 : 200 });
    const taken = await createFile(files);
    await until(() => /200 in/.test(listener.out) && listener.out.match(/200 in/g)!.length === 2);
    const got = receiver.received.slice(before);
    expect(got.filter(isOf(taken))).toHaveLength(1);
    const [one, again, last] = got.filter(isOf(refused)).map(({ headers, body }) => ({ id: headers['webhook-id'], body }));
    expect([again, last]).toEqual([one, one]);
    expect(listener.out).toMatch(new RegExp(`${refused}\t500 in \\d+ ms, retry in 1 s\n`));
  });

  it('waits for an application that is down', async () => {
    const key = await server.createKey();
    const files = await server.api('file-management', key);
    const port = await freePort();
    const listener = listen(key, '--forward', `http://127.0.0.1:${port}/`, '--service', 'file-management');
    await listener.ready();
    const ids = [await createFile(files), await createFile(files)];
    await until(() => /ECONNREFUSED/.test(listener.out));
    const got: string[] = [];
    const late = createServer((request, response) => {
      got.push(String(request.headers['webhook-id']));
      request.resume();
      response.end();
    }).listen(port, '127.0.0.1');
    await until(() => got.length === 2);
    expect(ids.every((id) => listener.out.includes(id))).toBe(true);
    await listener.stop();
    late.closeAllConnections();
    late.close();
  });

  it('removes what a killed earlier start left, and nothing else', async () => {
    const key = await server.createKey();
    const hooks = new Webhooks(server, await server.api('email', key));
    const { webhook: own } = await hooks.create({ url: 'poll:', events: ['MESSAGE_SENT'], description: 'of the application' });
    const killed = listen(key, '--service', 'email');
    await killed.ready();
    await killed.stop('SIGKILL');
    const left = (await hooks.all()).filter(({ id }) => id !== own.id);
    expect(left).toMatchObject([{ url: 'poll:', description: expect.stringMatching(/^platform-services webhooks listen on /) }]);
    const next = listen(key, '--service', 'email');
    await next.ready();
    const now = (await hooks.all()).map(({ id }) => id);
    expect([now.includes(own.id), now.includes(left[0].id), now.length]).toEqual([true, false, 2]);
    const third = listen(key, '--service', 'email');
    await third.ready();
    expect(await next.exited).toBe(1);
    expect(next.complaints).toMatch(/the webhook was removed, possibly by another run of this command/);
    expect(await third.stop()).toBe(0);
    expect((await hooks.all()).map(({ id }) => id)).toEqual([own.id]);
  });

  it('skips services for which the key may not have webhooks, and says so', async () => {
    const key = await server.createKey('email-api:query:* email-api:mutation:* document-log-api:query:*');
    const listener = listen(key);
    await listener.ready();
    expect(listener.out).toContain(`forwarding\temail\t${receiver.url}\n`);
    for (const service of ['file-management', 'document-rendering', 'websockets-manager', 'document-log']) {
      expect(listener.complaints).toContain(`${service} is skipped: `);
    }
    expect(await listener.stop()).toBe(0);
  });

  it.each([
    [['--key', 'psk_wrong'], /key/i, 1],
    [['--url', 'http://127.0.0.1:59998'], /http:\/\/127\.0\.0\.1:59998 does not answer: .*ECONNREFUSED/, 1],
    [['--events', 'file.done,file.moved'], /no service has the events FILE_MOVED/, 2],
    [['--service', 'files'], /must be one or more of file-management/, 2],
    [['--forward', 'localhost:4000'], /must begin with http/, 2],
    [['--secret', 'short'], /must be whsec_/, 2],
  ])('exits with %j, the reason, and no webhook left', async (args, reason, code) => {
    const key = await server.createKey();
    const listener = listen(key, ...args);
    expect(await listener.exited).toBe(code);
    expect(listener.complaints).toMatch(reason);
    expect(await new Webhooks(server, await server.api('file-management', key)).all()).toEqual([]);
  });
});
