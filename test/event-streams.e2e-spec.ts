// @nightly postgresql: no SQL of its own
import { execFile } from 'node:child_process';
import { Agent } from 'node:http';
// Past the API: tokens that expire in seconds, and a smaller inbound limit.
import { RecipientTokens } from '../src/modules/websockets-manager/recipients/recipient-tokens.js';
import { ConnectionLifecycle } from '../src/modules/websockets-manager/sockets/connection-lifecycle.js';
import { EventStream } from './support/event-streams.js';
import { Inbox } from './support/inbox.js';
import { needing, program } from './support/needs.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push, until } from './support/websockets.js';

let server: TestServer;
let push: Push;

beforeAll(async () => {
  server = await TestServer.start();
});
beforeEach(async () => {
  push = new Push(await server.api('websockets-manager'));
});
afterAll(() => server.stop());

const uriOf = async (recipient: string, rest: object = {}): Promise<string> => (await push.register(recipient, rest)).eventsUri;
const stream = async (recipient: string, rest: object = {}): Promise<EventStream> =>
  EventStream.open(await uriOf(recipient, rest));
const statuses = async (recipient: string): Promise<string[]> =>
  (await push.messages({ recipient })).items.map(({ message, status }: any) => `${message} ${status}`).reverse();
const offline = (recipient: string): Promise<unknown> => until(async () => (await push.connections(recipient)).length === 0);

describe('an event stream', () => {
  it('carries the frames of a socket, with the id of each message', async () => {
    const [ann, socket] = [await stream('ann', { topics: ['a'], presence: true }), await push.connect('ann', { topics: ['a'] })];
    await push.push('ann', 'line\nbreak, \u2028 and 😀');
    await push.push('ann', 'x'.repeat(65_536), { topic: 'a' });
    await push.pushGlobal('to all', { topic: 'a' });
    await Promise.all([ann.received(3), socket.received(3)]);
    const bob = await push.connect('bob', { topics: ['a'] });
    await ann.received(4);
    expect(ann.frames.slice(0, 3)).toEqual(socket.frames);
    expect(ann.events.slice(1).map(({ id }) => id)).toEqual([...socket.frames.map(({ id }) => id), undefined]);
    expect(ann.frames[3]).toMatchObject({ presence: 'join', topic: 'a', recipient: 'bob' });
    expect(ann.retryMs).toBeGreaterThanOrEqual(500);
    expect(ann.retryMs).toBeLessThanOrEqual(2_500);
    expect(ann.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    });
    for (const { socket: one } of [socket, bob]) one.terminate();
    ann.drop();
  });

  it('is a connection: listed, with topics that change, and a rewind', async () => {
    await push.pushGlobal('before', { topic: 'a' });
    const ann = await stream('ann', { topics: ['a'], rewind: { messages: 10, seconds: 60 } });
    await ann.received(1);
    expect(ann.frames[0]).toMatchObject({ message: 'before', replayed: true });
    expect((await push.connections('ann')).map(({ id }: any) => id)).toEqual([ann.id]);
    await push.api.ask('mutation{changeTopics(recipient:"ann",add:["b"]){id}}');
    await push.pushGlobal('to b', { topic: 'b' });
    await ann.received(2);
    ann.drop();
    await offline('ann');
  });

  it('marks messages of an inbox by POST and tells the number of unread ones, if its token reads the inbox', async () => {
    const inbox = new Inbox(push.api, 'ann');
    const [ann, other] = [await stream('ann', { inbox: true }), await stream('ann')];
    await push.push('ann', 'm', { inbox: true });
    const unread = () => ann.frames.flatMap((frame) => (frame.inbox?.unread === undefined ? [] : [frame.inbox.unread])).at(-1);
    await until(() => unread() === 1);
    const [{ id }] = (await inbox.page()).items;
    expect(await other.post({ read: id })).toBe(204);
    expect(await ann.post({ read: id })).toBe(204);
    await until(() => unread() === 0);
    expect((await inbox.page()).items[0].readAt).not.toBeNull();
    expect(await ann.post({ unread: id })).toBe(204);
    await until(() => unread() === 1);
    expect(await other.post({ archived: id })).toBe(204);
    expect((await inbox.page()).unread).toBe(1);
    for (const one of [ann, other]) one.drop();
  });

  it('makes a message and all before it DELIVERED by an acknowledgement, and none without', async () => {
    const ann = await stream('ann');
    for (const text of ['one', 'two', 'three']) await push.push('ann', text);
    await ann.received(3);
    expect(await statuses('ann')).toEqual(['one PENDING', 'two PENDING', 'three PENDING']);
    expect(await ann.acknowledge(ann.frames[1].id)).toBe(204);
    await push.settled(ann.frames[1].id, 'DELIVERED');
    expect(await statuses('ann')).toEqual(['one DELIVERED', 'two DELIVERED', 'three PENDING']);
    ann.drop();
    await push.settled(ann.frames[2].id, 'CANCELLED');
  });

  it('sends queued messages first, and again after a break those that Last-Event-ID does not confirm', async () => {
    const expiresAt = inSeconds(600);
    for (const text of ['one', 'two', 'three']) await push.push('ann', text, { expiresAt });
    const uri = await uriOf('ann');
    const first = await EventStream.open(uri);
    await first.received(3);
    first.drop();
    await offline('ann');
    const second = await EventStream.open(uri, { headers: { 'last-event-id': first.frames[1].id } });
    await second.received(1);
    expect(second.texts).toEqual(['three']);
    await push.settled(first.frames[0].id, 'DELIVERED');
    expect(await statuses('ann')).toEqual(['one DELIVERED', 'two DELIVERED', 'three PENDING']);
    second.drop();
    await offline('ann');
    expect(await first.acknowledge(second.frames[0].id)).toBe(204);
    expect(await second.acknowledge(second.frames[0].id)).toBe(204);
    await push.settled(second.frames[0].id, 'DELIVERED');
  });

  it('confirms by Last-Event-ID that message alone if two streams of the token sent it', async () => {
    const expiresAt = inSeconds(600);
    const uri = await uriOf('ann');
    const early = await EventStream.open(uri);
    await push.push('ann', 'one', { expiresAt });
    await early.received(1);
    const late = await EventStream.open(uri);
    await late.received(1);
    await push.push('ann', 'two', { expiresAt });
    await Promise.all([early.received(2), late.received(2)]);
    late.drop();
    await until(async () => (await push.connections('ann')).length === 1);
    const again = await EventStream.open(uri, { headers: { 'last-event-id': late.frames[1].id } });
    await push.settled(late.frames[1].id, 'DELIVERED');
    expect(await statuses('ann')).toEqual(['one PENDING', 'two DELIVERED']);
    for (const one of [early, again]) one.drop();
  });

  it('tells how it closes, and the ended token gets 401', async () => {
    const ann = await stream('ann');
    expect(await push.disconnect('ann')).toBe(1);
    expect(await ann.ended()).toEqual({ code: 4403, reason: 'disconnected by the application' });
    expect(await EventStream.request(ann.uri)).toBe(401);
    expect(await EventStream.request(`${ann.uri}x`)).toBe(401);
  });

  it('ends with its token if that closes connections; otherwise it outlives it, and acknowledges', async () => {
    const tokens = server.app.get(RecipientTokens, { strict: false });
    const { value } = (await push.register('ann')).token;
    const { ten: tenantId } = JSON.parse(Buffer.from(value.split('.')[1], 'base64url').toString());
    const [base] = (await uriOf('ann')).split('/events?');
    const content = { tenantId, recipient: 'ann', topic: null, sourceIp: null, origin: null, acknowledge: false };
    const [ends, stays] = [true, false].map(
      (closeOnExpiry) => `${base}/events?token=${tokens.issue({ ...content, closeOnExpiry }, 2).value}`,
    ) as [string, string];
    const [ann, bob] = [await EventStream.open(ends), await EventStream.open(stays)];
    expect(await ann.ended()).toMatchObject({ code: 4401 });
    expect(await EventStream.request(stays)).toBe(401);
    const { item } = await push.push('ann', 'm');
    await bob.received(1);
    expect(await bob.acknowledge(item.id)).toBe(204);
    await push.settled(item.id, 'DELIVERED');
    bob.drop();
  });

  it('is refused with 403 for another address or origin, as a socket is', async () => {
    expect(await EventStream.request(await uriOf('ann', { sourceIp: '10.1.1.1' }))).toBe(403);
    const uri = await uriOf('ann', { origin: 'https://a.example' });
    expect(await EventStream.request(uri)).toBe(403);
    const headers = { origin: 'https://A.example' };
    (await EventStream.open(uri, { headers })).drop();
  });

  it('is closed with 4413 behind a reader that reads nothing, and its messages wait', async () => {
    const ann = await stream('ann');
    ann.response.pause();
    const expiresAt = inSeconds(600);
    await until(async () => {
      await push.push('ann', 'x'.repeat(65_536), { expiresAt });
      return (await push.connections('ann')).length === 0;
    });
    ann.response.resume();
    await ann.ended();
    expect(ann.close).toEqual({ code: 4413, reason: 'too slow a reader' });
    const waiting = (await push.messages({ recipient: 'ann', status: 'PENDING' }, { limit: 1_000 })).items.length;
    const again = await EventStream.open(ann.uri);
    for (let read = 0; read < waiting;) {
      read = (await again.received(Math.min(read + 3, waiting))).length;
      await again.acknowledge(again.frames.at(-1).id);
    }
    await push.manySettled('ann', waiting, 'DELIVERED');
    again.drop();
  });

  it('gets one frame of a push, however often its idempotency key is repeated', async () => {
    const uri = await uriOf('ann', { rewind: { messages: 10, seconds: 60 }, topics: ['a'] });
    const ann = await EventStream.open(uri);
    const rest = { idempotencyKey: 'k', topic: 'a', expiresAt: inSeconds(600) };
    for (let count = 0; count < 5; count++) await push.push('ann', 'once', rest);
    await push.push('ann', 'end');
    await until(() => ann.texts.includes('end'));
    expect(ann.texts).toEqual(['once', 'end']);
    ann.drop();
    await offline('ann');
    const again = await EventStream.open(uri, { headers: { 'last-event-id': ann.frames[1].id } });
    await push.push('ann', 'once', rest);
    await push.push('ann', 'end again');
    await until(() => again.texts.includes('end again'));
    expect(again.texts).toEqual(['once', 'end again']);
    expect(again.frames[0].replayed).toBe(true);
    again.drop();
  });

  it('gets a comment each 15 s', async () => {
    const ann = await stream('ann');
    await until(() => ann.comments >= 2);
    ann.drop();
  }, 60_000);
});

describe('an acknowledgement', () => {
  it('is refused with a foreign token, for other connections, and with a body or id that was made up', async () => {
    const [ann, bob, other] = [await stream('ann'), await stream('bob'), await stream('ann')];
    const { item } = await push.push('ann', 'm', { expiresAt: inSeconds(600) });
    await ann.received(1);
    const foreign = new Push(await server.api('websockets-manager'));
    const foreignUri = (await foreign.register('ann')).eventsUri;
    expect(await ann.acknowledge(item.id, ann.id, foreignUri)).toBe(404);
    expect(await ann.acknowledge(item.id, ann.id, bob.uri)).toBe(404);
    expect(await ann.acknowledge(item.id, ann.id, other.uri)).toBe(404);
    expect(await ann.acknowledge(item.id, bob.id)).toBe(404);
    expect(await ann.acknowledge(item.id, '')).toBe(400);
    expect(await ann.acknowledge(item.id, 'x'.repeat(8_000))).toBe(404);
    expect(await ann.acknowledge(item.id, ann.id, `${ann.uri.split('?')[0]}?token=x`)).toBe(401);
    expect(await ann.acknowledge('made up')).toBe(204);
    expect(await ann.acknowledge('x'.repeat(5_000))).toBe(413);
    for (const body of ['', '{', 'null', '7', '{"ack":1}']) {
      const answer = await fetch(`${ann.uri}&connection=${ann.id}`, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'BAD_USER_INPUT' })]);
    }
    expect(await statuses('ann')).toEqual(['m PENDING']);
    expect(await ann.acknowledge(item.id)).toBe(204);
    await push.settled(item.id, 'DELIVERED');
    for (const one of [ann, bob, other]) one.drop();
  });

  it('by a Last-Event-ID that is made up, foreign or very long confirms nothing', async () => {
    const { item } = await push.push('bob', 'm', { expiresAt: inSeconds(600) });
    for (const id of ['made up', item.id, 'x'.repeat(10_000), '😀'.normalize()]) {
      const headers = { 'last-event-id': Buffer.from(id).toString('latin1') };
      const ann = await EventStream.request(await uriOf('ann'), { headers });
      if (typeof ann !== 'number') ann.drop();
      else expect(ann).toBe(431);
    }
    expect(await statuses('bob')).toEqual(['m PENDING']);
  });

  const times = process.env.TEST_LONG === '1' ? 10_000 : 2_000;
  it(`sent ${times} times leaves other callers served, and closes the stream that sent more than a socket may`, async () => {
    const lifecycle = server.app.get(ConnectionLifecycle, { strict: false });
    const before = lifecycle.maxInboundPerMinute;
    lifecycle.maxInboundPerMinute = times * 30;
    const ann = await stream('ann');
    const got = new Set<number>();
    for (let sent = 0; sent < times; sent += 100) {
      for (const status of await Promise.all(Array.from({ length: 100 }, () => ann.acknowledge(`x${sent}`.padEnd(50, 'x')))))
        got.add(status);
      if (sent % (times / 5) === 0) await push.push('bob', 'served');
    }
    lifecycle.maxInboundPerMinute = before;
    expect(await ann.ended()).toMatchObject({ code: 1008 });
    expect([...got]).toEqual([204]);
  });
});

needing(program('curl')).it('curl -N prints the frames of an event stream as they come', async () => {
  const uri = await uriOf('ann');
  let printed = '';
  const curl = execFile('curl', ['-sN', uri]);
  curl.stdout!.on('data', (text) => (printed += text));
  await until(() => printed.includes('event: connection'));
  const { item } = await push.push('ann', 'hello');
  await until(() => printed.includes(`id: ${item.id}\ndata: {"id":"${item.id}","recipient":"ann","message":"hello"`));
  curl.kill();
});

it('a full server refuses an event stream with 503 and closes its HTTP connection, so that a retry can reach another node', async () => {
  const own = await TestServer.start({ WEBSOCKET_MAX_CONNECTIONS: '1' });
  const there = new Push(await own.api('websockets-manager'));
  const ann = await EventStream.open((await there.register('ann')).eventsUri);
  const { status, headers } = await fetch((await there.register('bob')).eventsUri);
  expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '2', 'close']);
  ann.drop();
  await own.stop();
});

it('an event stream that the server closes takes its HTTP connection with it, so that its client can reach another node', async () => {
  const there = new Push(await server.api('websockets-manager'));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const first = await EventStream.open((await there.register('ann')).eventsUri, { agent });
  const used = first.request.socket!.localPort;
  await there.disconnect('ann');
  await until(() => first.isEnded);
  const second = await EventStream.open((await there.register('ann')).eventsUri, { agent });
  expect(second.request.socket!.localPort).not.toBe(used);
  second.drop();
  agent.destroy();
});

it('a stopping server ends its event streams with 1001, with what was acknowledged recorded', async () => {
  const own = await TestServer.start();
  const there = new Push(await own.api('websockets-manager'));
  const ann = await EventStream.open((await there.register('ann')).eventsUri);
  await there.push('ann', 'm', { expiresAt: inSeconds(600) });
  await ann.received(1);
  const began = Date.now();
  await own.stop();
  expect(await ann.ended()).toEqual({ code: 1001, reason: 'server going away, reconnect' });
  expect(Date.now() - began).toBeLessThan(20_000);
});
