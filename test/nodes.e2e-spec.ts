// @only postgresql: several nodes need a database over the network
import { holdsOnSeveralNodes } from './contracts/nodes.contract.js';
import { needing, program, SERVICE } from './support/needs.js';
import { Api } from './support/api.js';
import { Cluster } from './support/cluster.js';
import { OwnRedis } from './support/redis.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, PUSH, until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis, program('redis-server')).describe;

withRedis('three nodes', () => {
  let cluster: Cluster;
  let a: Push;
  let b: Push;
  let c: Push;
  let nextName = 0;
  const name = (): string => `r${nextName++}`;
  const statusOf = async (id: string) =>
    (await a.messages({}, { limit: 1_000 })).items.find((item: any) => item.id === id)?.status;

  beforeAll(async () => {
    cluster = await Cluster.start();
    [a, b, c] = cluster.nodes as [Push, Push, Push];
  });
  afterAll(() => cluster.stop());

  holdsOnSeveralNodes(() => [a, b, c]);

  it('with Redis stopped deliver a push on the same node at once, on others when Redis is back, and callers see no error', async () => {
    // A topic of its own: a global message that is sent again later also reaches whoever connected meanwhile.
    const [ann, bob, nobody, topic] = [name(), name(), name(), name()];
    const [here, there] = [await a.connect(ann, { topic }), await b.connect(bob, { topic })];
    await cluster.redis.stop();
    for (const node of [a, b, c]) await cluster.readiness(node, 503);
    await cluster.doesAllElse(a);
    const { results, error } = await a.push([ann, bob, nobody], 'in the dark');
    expect(error).toBeNull();
    const global = await c.pushGlobal('to all in the dark', { topic });
    await here.received(1);
    expect(await Client.refusal((await a.register(ann)).connectionUri)).toBe(503);
    await cluster.redis.start();
    await there.received(2);
    await here.received(2);
    expect(there.texts.sort()).toEqual(['in the dark', 'to all in the dark']);
    const [forAnn, forBob, forNobody] = results.map(({ item }: any) => item.id);
    await until(async () => (await statusOf(forAnn)) === 'DELIVERED' && (await statusOf(forBob)) === 'DELIVERED');
    await until(async () => (await statusOf(forNobody)) === 'CANCELLED', 60_000);
    await until(async () => (await a.messages({ globalMessageId: global.id, status: 'DELIVERED' })).items.length >= 2);
    for (const node of [a, b, c]) await cluster.readiness(node, 200);
    const after = await c.push([ann, bob], 'in the light');
    expect(after.error).toBeNull();
    await Promise.all([here.received(3), there.received(3)]);
    for (const client of [here, there]) client.socket.terminate();
  });

  it('with a silent connection to Redis notice it, and their clients receive what they missed', async () => {
    const bob = name();
    const client = await b.connect(bob);
    const proxy = cluster.toRedis[1]!;
    proxy.toStore = proxy.fromStore = () => 'swallow';
    const { item, error } = await a.push(bob, 'swallowed');
    expect(error).toBeNull();
    const waiting = await a.push(bob, 'waiting', { expiresAt: inSeconds(600) });
    expect(client.frames).toEqual([]);
    await cluster.readiness(b, 503);
    proxy.toStore = proxy.fromStore = () => 'pass';
    await client.received(2);
    expect(client.texts.toSorted()).toEqual(['swallowed', 'waiting']); // in their order only while nothing fails
    await a.settled(item.id, 'DELIVERED');
    await a.settled(waiting.item.id, 'DELIVERED');
    await cluster.readiness(b, 200);
    client.socket.terminate();
  });

  it('with one killed between storing and sending deliver messages that can wait to recipients on other nodes', async () => {
    const proxy = await FaultyProxy.to(cluster.redis.url.replace('redis', 'http'));
    const killed = cluster.startNode(proxy);
    const d = await cluster.at(killed);
    const [ann, bob, topic] = [name(), name(), name()];
    const [forAnn, forBob] = [await a.connect(ann, { topic }), await b.connect(bob, { topic })];
    proxy.toStore = proxy.fromStore = () => 'swallow';
    const pushes = [
      d.push([ann, bob], 'own', { expiresAt: inSeconds(600), idempotencyKey: ann }),
      d.pushGlobal('to all', { expiresAt: inSeconds(600), topic }),
    ].map((push) => push.catch(() => 'cut off'));
    await until(async () => (await a.messages({ recipient: ann })).items.length === 1);
    await until(async () => (await a.globalMessages({ topic })).items.length === 1);
    await killed.stop('SIGKILL');
    await Promise.all(pushes);
    await Promise.all([forAnn.received(2), forBob.received(2)]);
    expect([forAnn, forBob].map(({ texts }) => texts.toSorted())).toEqual([
      ['own', 'to all'],
      ['own', 'to all'],
    ]);
    for (const client of [forAnn, forBob]) client.socket.terminate();
    await proxy.close();
  });

  it('with one that stops while it accepts pushes send all that it answered', async () => {
    const proxy = await FaultyProxy.to(cluster.redis.url.replace('redis', 'http'));
    const stopped = cluster.startNode(proxy);
    const d = await cluster.at(stopped);
    const bob = name();
    const client = await b.connect(bob);
    let isOver = false;
    const answered: string[] = [];
    const pushing = Array.from({ length: 8 }, async (_, pusher) => {
      for (let nth = 0; !isOver; nth++) {
        const text = `${pusher} ${nth}`;
        const done = await d.push(bob, text).catch(() => undefined);
        if (done && !done.error) answered.push(text);
        if (!done) return;
      }
    });
    await client.received(50);
    expect(await stopped.stop()).toBe(0);
    isOver = true;
    await Promise.all(pushing);
    await until(async () => answered.every((text) => client.texts.includes(text)));
    client.socket.terminate();
    await proxy.close();
  });

  it('with one without its bus for a moment send newer pushes after the backlog that a client reads there', async () => {
    const bob = name();
    const long = 'x'.repeat(60_000);
    const backlog = Array.from({ length: 8 }, (_, index) => `${index}${long}`);
    for (const text of backlog) await a.push(bob, text, { expiresAt: inSeconds(600) });
    const client = await b.connect(bob, {}, { autoPong: false });
    await client.received(4);
    await cluster.toRedis[1]!.close();
    await cluster.readiness(b, 503);
    const waiting = await a.push(bob, 'waiting', { expiresAt: inSeconds(600) });
    const fleeting = await a.push(bob, 'cannot wait');
    const global = await a.pushGlobal('to all', { expiresAt: inSeconds(600) });
    await cluster.toRedis[1]!.open();
    await cluster.readiness(b, 200);
    const after = await a.push(bob, 'after', { expiresAt: inSeconds(600) });
    client.socket.on('ping', (payload) => client.socket.pong(payload));
    client.socket.pong('4');
    await client.received(12);
    for (const { item } of [waiting, fleeting, after]) await a.settled(item.id, 'DELIVERED');
    expect(client.texts).toEqual([...backlog, 'waiting', 'cannot wait', global.message, 'after']);
    client.socket.terminate();
    // All tests share a tenant: this message must not wait for the clients of other tests.
    await a.api.ask('mutation($id:ID!){cancelGlobalMessage(id:$id){id}}', { id: global.id });
  });

  it('forget clients that left a node without a bus as soon as the bus is back', async () => {
    const [bob, ann, topic] = [name(), name(), name()];
    const [leaves, stays] = [await b.connect(bob, { topic }), await b.connect(ann, { topic })];
    const one = await b.connect(ann);
    expect(await a.connections(bob)).toHaveLength(1);
    await cluster.toRedis[1]!.close();
    await cluster.readiness(b, 503);
    await Promise.all([leaves.close(), one.close()]);
    await cluster.toRedis[1]!.open();
    await cluster.readiness(b, 200);
    expect([await a.connections(bob), await a.connections(ann)]).toMatchObject([[], [{ topic }]]);
    expect((await a.push(bob, 'gone')).error.message).toContain(bob);
    await a.push(ann, 'still there', { topic });
    await stays.received(1);
    expect(await a.disconnect(ann)).toBe(1);
  });

  it('with one killed deliver messages that can wait where its clients reconnect, and cancel others', async () => {
    const [ann, bob, topic] = [name(), name(), name()];
    const [silent, other] = [await c.connect(ann, { topic }, { autoPong: false }), await c.connect(bob, {}, { autoPong: false })];
    const sent = await a.push(ann, 'unconfirmed', { expiresAt: inSeconds(600) });
    const lost = await a.push(bob, 'cannot wait');
    await Promise.all([silent.received(1), other.received(1)]);
    const global = await b.pushGlobal('to all', { expiresAt: inSeconds(600), topic });
    await silent.received(2);
    const dying = cluster.servers[2]!;
    await dying.stop('SIGKILL');
    const meanwhile = await a.push(ann, 'meanwhile', { expiresAt: inSeconds(600) });
    const client = await b.connect(ann, { topic });
    await client.received(3);
    expect(client.frames.map(({ id }) => id)).toEqual([sent.item.id, global.id, meanwhile.item.id]);
    for (const { item } of [sent, meanwhile]) await a.settled(item.id, 'DELIVERED');
    await cluster.age(lost.item.id, 91);
    await until(async () => (await a.messages({ recipient: bob, status: 'CANCELLED' })).items.length === 1);
    // The lease of the node runs out, and its connections go with it.
    await until(async () => (await a.connections(bob)).length === 0);
    expect((await a.push(bob, 'gone')).error.message).toContain(bob);
    cluster.servers[2] = cluster.startNode(cluster.toRedis[2]!);
    c = await cluster.at(cluster.servers[2]);
    client.socket.terminate();
  });

  it('with PostgreSQL down for 10 s refuse pushes, and record confirmations when it is up', async () => {
    const ann = name();
    const client = await b.connect(ann, {}, { autoPong: false });
    const { item } = await a.push(ann, 'before');
    await client.received(1);
    await cluster.toDatabase.close();
    const goneUntil = Date.now() + 10_000;
    client.socket.pong('1');
    const refusal = await a.api.refusal(PUSH, { input: { recipients: [ann], message: 'refused' } });
    expect(refusal.code).toBe('SERVICE_UNAVAILABLE');
    await cluster.readiness(a, 503);
    await new Promise((resolve) => setTimeout(resolve, goneUntil - Date.now()));
    await cluster.toDatabase.open();
    await cluster.readiness(a, 200);
    await until(async () => (await statusOf(item.id).catch(() => undefined)) === 'DELIVERED');
    await until(() => a.push(ann, 'after').catch(() => undefined));
    await client.received(2);
    expect(client.texts).toEqual(['before', 'after']);
    client.socket.terminate();
  });
});

withRedis('a node that asks Sentinel where Redis is', () => {
  it('finds the master, and the new one after a failover, despite a Sentinel that does not answer', async () => {
    const master = await OwnRedis.start();
    const replica = await OwnRedis.start('--replicaof', '127.0.0.1', String(master.port));
    const sentinel = await OwnRedis.watch(master);
    const silent = await FaultyProxy.to(`http://127.0.0.1:${sentinel.port}`);
    silent.swallow();
    const { host } = new URL(silent.endpoint);
    const server = await TestServer.start({ REDIS_URL: `sentinel://${host},127.0.0.1:${sentinel.port}/push` });
    const ready = async (status: number) => (await fetch(`${server.address}/health/ready/websockets-manager`)).status === status;
    await until(() => ready(200));
    const push = new Push(await server.api('websockets-manager'));
    const ann = await push.connect('ann');
    await until(() => sentinel.tells('sentinel replicas push', String(replica.port)));
    await master.stop();
    await until(() => ready(503));
    await until(() => ready(200), 60_000);
    const bob = await push.connect('bob');
    await push.push(['ann', 'bob'], 'hello');
    await Promise.all([ann.received(1), bob.received(1)]);
    await server.stop();
    await Promise.all([sentinel.stop(), replica.stop(), silent.close()]);
  });
});

withRedis('nodes that find Redis at one address', () => {
  it('move to the new master, although the former one lives on as its replica and holds their connections', async () => {
    const [former, next] = [await OwnRedis.start(), await OwnRedis.start()];
    const proxy = await FaultyProxy.to(former.url.replace('redis', 'http'));
    const REDIS_URL = proxy.endpoint.replace('http', 'redis');
    const first = await TestServer.start({ REDIS_URL });
    const { DATABASE_URL, SECRET_KEY } = first.settings;
    const second = await TestServer.start({ REDIS_URL, DATABASE_URL: DATABASE_URL!, SECRET_KEY: SECRET_KEY! });
    const key = await first.createKey();
    const [a, b] = [first, second].map(({ address }) => new Push(new Api(address, 'websockets-manager', key))) as [Push, Push];
    const ann = await b.connect('ann');
    await a.push('ann', 'before');
    await ann.received(1);
    proxy.lead(next.port);
    expect(await former.tells(`replicaof 127.0.0.1 ${next.port}`, 'OK')).toBe(true);
    const { item } = await a.push('ann', 'meanwhile', { expiresAt: inSeconds(600) });
    await ann.received(2);
    await until(async () => (await a.messages({ recipient: 'ann' })).items.every(({ status }: any) => status === 'DELIVERED'));
    expect((await a.messages({ recipient: 'ann' })).items.map(({ id }: any) => id)).toContain(item.id);
    const channel = 'platform-services:nodes';
    await until(() => next.tells(`pubsub numsub ${channel}`, `$${channel.length}\r\n${channel}\r\n:2`));
    await Promise.all([first, second].map((server) => server.stop()));
    await Promise.all([former.stop(), next.stop(), proxy.close()]);
  });
});
