import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Deployment } from './support/process.js';
import { Api } from './support/api.js';
import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, until } from './support/websockets.js';

const CHANGE =
  'mutation($recipient:String!,$add:[String!],$remove:[String!]){changeTopics(recipient:$recipient,add:$add,remove:$remove){recipient topic topics}}';
const changeOf = (push: Push, recipient: string, change: object) => push.api.ask(CHANGE, { recipient, ...change });
const faultOf = async ({ api }: Push, query: string, variables: Record<string, unknown>) => {
  const { errors } = await api.send(query, variables);
  return errors?.[0] && { code: errors[0].extensions.code, message: errors[0].message };
};
const REGISTER = 'mutation($input:RegisterRecipientInput!){registerRecipient(input:$input){token{topic topics}}}';

describe('a connection with several topics', () => {
  let server: TestServer;
  let push: Push;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  beforeEach(async () => {
    push = new Push(await server.api('websockets-manager'));
  });
  afterAll(() => server.stop());

  it('receives messages of each topic, of all below a pattern, and without a topic, each once', async () => {
    const client = await push.connect('ann', { topics: ['news', 'room/1/*', 'room/1/a', 'news'] });
    const topics = ['news', 'other', 'room', 'room/1', 'room/2/a', 'room/1/a', 'room/1/b/c', 'new', 'news/x', undefined];
    for (const topic of topics) await push.pushGlobal(`global ${topic}`, { topic });
    for (const topic of topics) await push.push('ann', `own ${topic}`, { topic, expiresAt: inSeconds(60) });
    const wanted = ['news', 'room/1/a', 'room/1/b/c', undefined];
    const texts = ['global', 'own'].flatMap((kind) => wanted.map((topic) => `${kind} ${topic}`));
    await client.received(texts.length);
    await push.manySettled('ann', texts.length, 'DELIVERED');
    expect(client.texts).toEqual(texts);
  });

  it('receives queued messages of its topics and patterns alone', async () => {
    const topics = ['a', 'b/*', 'c'];
    for (const topic of ['a', 'b', 'b/1', 'b/2/3', 'd', '%', undefined]) {
      await push.push('ann', `own ${topic}`, { topic, expiresAt: inSeconds(60) });
      await push.pushGlobal(`global ${topic}`, { topic, expiresAt: inSeconds(60) });
    }
    const client = await push.connect('ann', { topics });
    await client.received(8);
    await push.manySettled('ann', 8, 'DELIVERED');
    expect(client.texts).toEqual(['a', 'b/1', 'b/2/3', undefined].flatMap((topic) => [`own ${topic}`, `global ${topic}`]));
  });

  it('gets further topics and loses others by changeTopics, on all open connections and those opened later by older tokens', async () => {
    const { connectionUri } = await push.register('ann', { topics: ['a', 'b/*'] });
    const [first, old] = [await Client.open(connectionUri), await push.connect('ann', { topic: 'a' })];
    await push.push('ann', 'queued', { topic: 'c', expiresAt: inSeconds(600) });
    const { changeTopics } = await changeOf(push, 'ann', { add: ['c', 'd/*'], remove: ['a'] });
    expect(changeTopics).toEqual([
      { recipient: 'ann', topic: null, topics: ['b/*', 'c', 'd/*'] },
      { recipient: 'ann', topic: null, topics: ['c', 'd/*'] },
    ]);
    await Promise.all([first.received(1), old.received(1)]);
    const later = await Client.open(connectionUri);
    const fresh = await push.connect('ann', { topics: ['a'] });
    for (const topic of ['a', 'b/1', 'c', 'd/1']) await push.pushGlobal(topic, { topic });
    await push.pushGlobal('end');
    for (const client of [first, old, later, fresh]) await until(() => client.texts.includes('end'));
    expect([first, old, later, fresh].map(({ texts }) => texts.filter((text) => text !== 'queued'))).toEqual([
      ['b/1', 'c', 'd/1', 'end'],
      ['c', 'd/1', 'end'],
      ['b/1', 'c', 'd/1', 'end'],
      ['a', 'end'],
    ]);
    expect(first.texts[0]).toBe('queued');
  });

  it('keeps the changes that calls made at once', async () => {
    const client = await push.connect('ann', { topics: [] });
    const topics = Array.from({ length: 20 }, (_, index) => `t${index}`);
    await Promise.all(topics.map((topic) => changeOf(push, 'ann', { add: [topic] })));
    for (const topic of topics) await push.pushGlobal(topic, { topic });
    await client.received(topics.length);
    await Promise.all(topics.map((topic) => changeOf(push, 'ann', { remove: [topic] })));
    expect((await changeOf(push, 'ann', { add: ['last'] })).changeTopics).toMatchObject([{ topics: ['last'] }]);
  });

  it('is one with the topic of an older token, whose star is no pattern', async () => {
    const client = await push.connect('ann', { topic: 'a/*' });
    expect((await push.api.ask(REGISTER, { input: { recipient: 'ann', topic: 'a/*' } })).registerRecipient.token).toEqual({
      topic: 'a/*',
      topics: ['a/*'],
    });
    for (const topic of ['a/b', 'a/*', 'a']) await push.pushGlobal(topic, { topic });
    await push.pushGlobal('end');
    await until(() => client.texts.includes('end'));
    expect(client.texts).toEqual(['a/*', 'end']);
  });

  it('has at most 100 topics of 4,096 bytes together, with a star only at the end of a pattern', async () => {
    const many = (count: number, length = 4) => Array.from({ length: count }, (_, index) => String(index).padStart(length, '0'));
    const faultWith = (topics: unknown, rest: object = {}) =>
      faultOf(push, REGISTER, { input: { recipient: 'ann', topics, ...rest } });
    expect(await faultWith(many(100))).toBeUndefined();
    expect(await faultWith(many(4, 1_024))).toBeUndefined();
    const refused: [unknown, string, object?][] = [
      [many(101), 'input.topics: must have at most 100 topics, has 101'],
      [many(5, 1_000), 'input.topics: must have at most 4096 bytes together, has 5000'],
      [['é'.repeat(1_024), 'é'.repeat(1_025)], 'input.topics.1: must have at most 1024 characters (UTF-16 units), has 1025'],
      [[''], 'input.topics.0: must not be empty'],
      [['*'], 'input.topics.0: may contain * only at its end, after a topic and /'],
      [['/*'], 'input.topics.0: may contain * only at its end, after a topic and /'],
      [['a*'], 'input.topics.0: may contain * only at its end, after a topic and /'],
      [['a/*/b'], 'input.topics.0: may contain * only at its end, after a topic and /'],
      [[`${'a/'.repeat(17)}*`], 'input.topics.0: must have at most 16 slashes'],
      [['a'], 'input.topics: must not be sent with topic', { topic: 'b' }],
    ];
    for (const [topics, message, rest] of refused) {
      expect(await faultWith(topics, rest)).toEqual({ code: 'BAD_USER_INPUT', message });
    }
    const refusedChange = (change: object) => faultOf(push, CHANGE, { recipient: 'ann', ...change });
    expect(await refusedChange({})).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await refusedChange({ add: ['a'], remove: ['a'] })).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await refusedChange({ add: ['a/*/b'] })).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await refusedChange({ remove: many(101) })).toMatchObject({ code: 'BAD_USER_INPUT' });
    await push.connect('ann', { topics: many(100) });
    expect(await refusedChange({ add: ['one more'] })).toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(await refusedChange({ add: ['one more'], remove: ['0000'] })).toBeUndefined();
  });

  it('changes by up to 32,768 characters of different topics a day, until it is disconnected', async () => {
    const long = (index: number) => String(index).padStart(1_000, '0');
    let count = 0;
    const next = async () => faultOf(push, CHANGE, { recipient: 'ann', remove: [long(count++)] });
    for (let index = 0; index < 31; index++) expect(await next()).toBeUndefined();
    expect(await next()).toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(await faultOf(push, CHANGE, { recipient: 'ann', remove: [long(0)] })).toBeUndefined();
    await push.disconnect('ann');
    expect(await next()).toBeUndefined();
  });

  it('is not reached, changed or shown by another tenant', async () => {
    const other = new Push(await server.api('websockets-manager'));
    const client = await push.connect('ann', { topics: ['a', 'b/*'] });
    expect((await changeOf(other, 'ann', { add: ['c'], remove: ['a'] })).changeTopics).toEqual([]);
    for (const topic of ['a', 'b/1', 'c']) await other.pushGlobal('foreign', { topic });
    for (const topic of ['a', 'b/1', 'c']) await push.pushGlobal(topic, { topic });
    await client.received(2);
    await push.pushGlobal('end');
    await until(() => client.texts.includes('end'));
    expect(client.texts).toEqual(['a', 'b/1', 'end']);
  });

  it('cannot change its topics by what it sends, or by its token', async () => {
    const { connectionUri } = await push.register('ann', { topics: ['a'] });
    const client = await Client.open(connectionUri);
    for (const frame of ['{"topics":["b"]}', '{"changeTopics":{"add":["b"]}}']) client.socket.send(frame);
    const [head, payload, mac] = new URL(connectionUri).searchParams.get('token')!.split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const wider = Buffer.from(JSON.stringify({ ...claims, tps: ['a', 'b'] })).toString('base64url');
    const url = new URL(connectionUri);
    url.searchParams.set('token', [head, wider, mac].join('.'));
    expect((await (await Client.open(url.href)).closed).code).toBe(4401);
    await push.pushGlobal('b', { topic: 'b' });
    await push.pushGlobal('a', { topic: 'a' });
    await client.received(1);
    expect(client.texts).toEqual(['a']);
  });
});

/** Connections to a node, of which ten have the topic of a push. */
const CONNECTIONS = process.env.TEST_LONG === '1' ? 1_000 : 200;

it(`a push to a topic reaches its ten connections of ${CONNECTIONS} with 20 topics each`, async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  const clients = await push.connectAll(
    Array.from({ length: CONNECTIONS }, (_, index) => {
      const topics = Array.from({ length: 19 }, (__, topic) => `t${(index + topic * 50) % 1_000}`);
      return [`r${index}`, { topics: [...topics, index % (CONNECTIONS / 10) === 7 ? 'ten/x' : `own/${index}/*`] }];
    }),
  );
  await push.pushGlobal('ten', { topic: 'ten/x' });
  await push.pushGlobal('end');
  for (const client of clients) await until(() => client.texts.includes('end'));
  expect(clients.filter(({ texts }) => texts.includes('ten'))).toHaveLength(10);
  for (const { socket } of clients) socket.terminate();
  await server.stop();
});

it('a node refuses connections beyond 20 topics for each that it may have, and closes one that gets more', async () => {
  const server = await TestServer.start({ WEBSOCKET_MAX_CONNECTIONS: '10', WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: '6' });
  const topics = Array.from({ length: 60 }, (_, index) => `t${index}`);
  const push = new Push(await server.api('websockets-manager'));
  const clients = [await push.connect('ann', { topics }), await push.connect('ann', { topics: topics.slice(1) })];
  expect(await Client.refusal((await push.register('ann', { topics: ['a', 'b'] })).connectionUri)).toBe(503);
  const last = await push.connect('bob', { topic: 'a' });
  await changeOf(push, 'bob', { add: ['b'] });
  expect(await last.closed).toEqual({ code: 4413, reason: 'the node has no room for more topics' });
  await clients[0]!.close();
  await until(async () => (await push.connections('ann')).length === 1);
  await push.connect('ann', { topics });
  await server.stop();
});

it('a change of topics applies to connections that older tokens open after a restart', async () => {
  const deployment = await Deployment.create();
  const key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
  const start = async () => {
    const server = deployment.start();
    return { server, push: new Push(new Api(await server.ready(), 'websockets-manager', key)) };
  };
  const first = await start();
  const { token } = await first.push.register('ann', { topics: ['a'] });
  await changeOf(first.push, 'ann', { add: ['b'], remove: ['a'] });
  await first.server.stop();
  const { push } = await start();
  const url = new URL((await push.register('ann')).connectionUri);
  url.searchParams.set('token', token.value);
  const client = await Client.open(url.href);
  for (const topic of ['a', 'b']) await push.pushGlobal(topic, { topic });
  await client.received(1);
  expect(client.texts).toEqual(['b']);
  await deployment.remove();
});
