// @only postgresql: several nodes need a database over the network
// @nightly: starts a cluster and kills its masters
import { holdsOnSeveralNodes } from './contracts/nodes.contract.js';
import { needing, program, SERVICE } from './support/needs.js';
import { Api } from './support/api.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { OwnRedis } from './support/redis.js';
import { OwnRedisCluster } from './support/redis-cluster.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push, until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis, program('redis-server'), program('redis-cli')).describe;

const statusOf = async (address: string) => (await fetch(`${address}/health/ready/websockets-manager`)).status;

withRedis('three nodes on a Redis Cluster', () => {
  let cluster: OwnRedisCluster;
  let silent: FaultyProxy;
  const servers: TestServer[] = [];
  let nodes: [Push, Push, Push];

  beforeAll(async () => {
    cluster = await OwnRedisCluster.start();
    silent = await FaultyProxy.to(cluster.url.replace(/^redis\+cluster:\/\/([^,]+).*/, 'http://$1'));
    silent.swallow();
    const REDIS_URL = cluster.url.replace('//', `//${new URL(silent.endpoint).host},`); // a seed that never answers
    servers.push(await TestServer.start({ REDIS_URL, RATE_LIMIT_PER_MINUTE: '10000000' }));
    for (let node = 1; node < 3; node++) servers.push(await TestServer.start({ ...servers[0]!.settings, PORT: '0', REDIS_URL }));
    const key = await servers[0]!.createKey();
    nodes = servers.map(({ address }) => new Push(new Api(address, 'websockets-manager', key))) as typeof nodes;
    await allReady();
  });
  afterAll(async () => {
    for (const server of servers.toReversed()) await server.stop();
    await Promise.all([cluster.stop(), silent.close()]);
  });

  const allReady = async () => {
    for (const { address } of servers) await until(async () => (await statusOf(address)) === 200, 90_000);
  };

  holdsOnSeveralNodes(() => nodes);

  it('list the recipients of all nodes, and forget those that left', async () => {
    const clients = await Promise.all(nodes.map((node, index) => node.connect(`listed-${index}`)));
    const names = async () => {
      const { items } = (await nodes[0].api.ask('{onlineRecipients(limit:1000){items{recipient}}}')).onlineRecipients;
      return items.map(({ recipient }: any) => recipient).filter((name: string) => name.startsWith('listed-'));
    };
    expect(await names()).toEqual(['listed-0', 'listed-1', 'listed-2']);
    await Promise.all(clients.map((client) => client.close()));
    await until(async () => (await names()).length === 0);
  });

  it('send one event per recipient who goes online or offline', async () => {
    const hook = await PolledWebhook.create(nodes[0].api, 'RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE');
    await hook.isKnownTo(nodes);
    const clients = await Promise.all(nodes.map((node) => node.connect('told')));
    await Promise.all(clients.map((client) => client.close()));
    expect((await hook.of('told', 2)).map(({ type }) => type)).toEqual(['recipient.online', 'recipient.offline']);
  });

  it('count the rate of a key together', async () => {
    const remaining = async ({ api }: Push) =>
      Number(/r=(\d+)/.exec((await api.send('{version}')).headers.get('ratelimit')!)![1]);
    await until(async () => {
      const key = await servers[0]!.createKey();
      const [a, b] = servers.map(({ address }) => new Push(new Api(address, 'websockets-manager', key)));
      return (await remaining(a!)) - (await remaining(b!)) === 1; // each counts by itself while the machine is too busy
    });
  });

  /** Pushes through all nodes to a client of one during a disturbance; all must arrive in the end, and be DELIVERED. */
  const survives = async (happen: () => Promise<unknown>) => {
    const [a, b, c] = nodes;
    const name = `survivor-${inSeconds(0)}`;
    const client = await c.connect(name);
    const sent: string[] = [];
    let isOver = false;
    const pushing = (async () => {
      for (let count = 0; !isOver; count++) {
        const { error } = await [a, b][count % 2]!.push(name, `m${count}`, { expiresAt: inSeconds(600) });
        expect(error).toBeNull();
        sent.push(`m${count}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    try {
      await until(() => sent.length > 5);
      await happen();
      const before = sent.length;
      await until(() => sent.length > before + 5);
    } finally {
      isOver = true;
      await pushing;
    }
    await allReady();
    await until(() => sent.every((text) => client.texts.includes(text)), 60_000);
    await a.manySettled(name, sent.length, 'DELIVERED');
    await client.close();
  };

  it('keep the messages of the bus on one shard', async () => {
    const client = await nodes[2].connect('sharded');
    const before = await cluster.forwardedMessages();
    for (let count = 0; count < 50; count++) await nodes[count % 2]!.push('sharded', `m${count}`, { expiresAt: inSeconds(60) });
    await until(() => client.texts.length === 50);
    expect((await cluster.forwardedMessages()) - before).toBe(0);
    await client.close();
  });

  it('lose no push while the slot of the bus moves to another master', async () => {
    const before = await cluster.master();
    await survives(() => cluster.moveSlot());
    expect(await cluster.master()).not.toBe(before);
  });

  it('lose no push when the master of the bus is killed, and mark none as DELIVERED that was not received', async () => {
    const [a, , c] = nodes;
    const gone = await c.connect('gone');
    await survives(async () => {
      const master = await cluster.master();
      await cluster.kill(master);
      await Promise.all(servers.map(({ address }) => until(async () => (await statusOf(address)) === 503)));
      gone.socket.terminate();
      await gone.closed;
      const { item } = await a.push('gone', 'nobody hears', { expiresAt: inSeconds(600) });
      await allReady();
      const found = (await a.messages({ recipient: 'gone' })).items.find(({ id }: any) => id === item.id);
      expect(found.status).toBe('PENDING');
    });
  });
});

withRedis('a node whose REDIS_URL does not fit its Redis', () => {
  /** Starts a server, which must not become ready, and waits until it logs the reason. */
  const tells = async (REDIS_URL: string, reason: string) => {
    const server = await TestServer.start({ REDIS_URL });
    try {
      await until(() => server.logLines.some((line) => line.includes(reason)));
      expect(await statusOf(server.address)).toBe(503);
      const { checks } = (await (await fetch(`${server.address}/health/ready`)).json()) as { checks: object };
      expect(checks).toMatchObject({ bus: 'unavailable' });
    } finally {
      await server.stop();
    }
  };

  it('reports a Redis without cluster mode that was named as a cluster', async () => {
    const redis = await OwnRedis.start();
    await tells(`redis+cluster://127.0.0.1:${redis.port}`, 'REDIS_URL names a Redis without cluster mode');
    await redis.stop();
  });

  it('reports a wrong password, and a cluster without a master for its keys', async () => {
    const redis = await OwnRedisCluster.node('--requirepass', 'right');
    const at = `@127.0.0.1:${redis.port}`;
    await tells(`redis+cluster://:wrong${at}`, 'Redis rejects the user or the password of REDIS_URL');
    await tells(`redis+cluster://:right${at}`, 'no node of the Redis Cluster has slot');
    await redis.stop();
  });

  it('reports a replica, and other refusals of Redis', async () => {
    const redis = await OwnRedis.start();
    const replica = await OwnRedis.start('--replicaof', '127.0.0.1', String(redis.port));
    const full = await OwnRedis.start('--maxmemory', '1');
    await tells(replica.url, 'REDIS_URL points to a read-only replica: name the master');
    await tells(full.url, 'Redis rejects a command: OOM');
    await Promise.all([redis.stop(), replica.stop(), full.stop()]);
  });
});
