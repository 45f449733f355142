// @nightly postgresql: no SQL of its own
import { randomBytes } from 'node:crypto';
// Past the API: leases in Redis, which only time ends.
import { RedisLink } from '../src/modules/websockets-manager/bus/redis-link.js';
import { Bus } from '../src/modules/websockets-manager/bus/bus.js';
import { needing, program, SERVICE } from './support/needs.js';
import { Api } from './support/api.js';
import { OwnRedis } from './support/redis.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { type Client, Push, until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis, program('redis-server')).describe;
const ONLINE =
  'query($nextToken:String,$limit:Int){onlineRecipients(nextToken:$nextToken,limit:$limit){items{recipient connections connectedAt} count nextToken}}';

const page = async ({ api }: Push, rest: object = {}) => (await api.ask(ONLINE, { ...rest })).onlineRecipients;
const namesOf = ({ items }: any): string[] => items.map(({ recipient }: any) => recipient);
/** Returns the names and the counts of all pages. */
const walk = async (push: Push, limit: number) => {
  const pages = [];
  for (let nextToken: string | null = null; nextToken !== null || pages.length === 0;) {
    pages.push(await page(push, { limit, nextToken }));
    nextToken = pages.at(-1).nextToken;
  }
  return { names: pages.flatMap(namesOf), counts: [...new Set(pages.map(({ count }) => count))], pages: pages.length };
};
const shows = (push: Push, names: string[]) =>
  until(async () => {
    const found = await page(push);
    return found.count === names.length && String(namesOf(found).toSorted()) === String(names.toSorted());
  });

/** Guarantees of a single node, and of each of several. */
function holdOnEvery(nodes: (tenantKey?: string) => Promise<Push[]>) {
  it('are none at first, then each connected recipient once, and none again', async () => {
    const [push] = await nodes();
    expect(await page(push!)).toEqual({ items: [], count: 0, nextToken: null });
    const before = Date.now();
    const clients = [await push!.connect('bob'), await push!.connect('ann'), await push!.connect('ann', { topic: 'news' })];
    const { items, count, nextToken } = await page(push!);
    expect({ count, nextToken }).toEqual({ count: 2, nextToken: null });
    expect(items).toMatchObject([
      { recipient: 'ann', connections: 2 },
      { recipient: 'bob', connections: 1 },
    ]);
    for (const { connectedAt } of items) expect(Date.parse(connectedAt)).toBeGreaterThanOrEqual(before);
    await clients[1]!.close();
    await until(async () => (await page(push!)).items[0]?.connections === 1);
    expect(namesOf(await page(push!))).toEqual(['ann', 'bob']);
    await Promise.all([clients[0]!.close(), clients[2]!.close()]);
    await shows(push!, []);
  });

  it('are listed once each, and all counted, while others come and go', async () => {
    const all = await nodes();
    const names = Array.from({ length: 250 }, (_, index) => `r-${String(index * 2).padStart(4, '0')}`);
    const odd = ['', 'é', '日本', '😀', 'a'.repeat(1_000), 'a b', '*', '"'].map((name) => `r-9 ${name}`);
    const wanted = [...names, ...odd].toSorted();
    await Promise.all(wanted.map((name, index) => all[index % all.length]!.connect(name)));
    expect(await walk(all[0]!, 1_000)).toMatchObject({ counts: [258], pages: 1 });
    for (const push of all) {
      const walked = await walk(push, 100);
      expect(walked).toMatchObject({ counts: [258], pages: 3 });
      expect(walked.names.toSorted()).toEqual(wanted);
    }
    const first = await page(all[0]!, { limit: 100 });
    await Promise.all([all[0]!.disconnect(names[5]!), all[0]!.disconnect(names[200]!), all[0]!.connect('r-0001')]);
    await until(async () => (await page(all[0]!)).count === 257);
    const second = await page(all[0]!, { limit: 1_000, nextToken: first.nextToken });
    expect([...namesOf(first), ...namesOf(second)].toSorted()).toEqual(wanted.filter((name) => name !== names[200]));
  });

  it('belong to the tenant of the caller', async () => {
    const [push] = await nodes();
    const [other] = await nodes();
    const client = await push!.connect('ann');
    expect(await page(other!)).toEqual({ items: [], count: 0, nextToken: null });
    await other!.connect('eve');
    await other!.connect('fay');
    const { nextToken } = await page(other!, { limit: 1 });
    expect(await push!.api.refusal(ONLINE, { nextToken })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'nextToken' });
    expect(namesOf(await page(push!))).toEqual(['ann']);
    await client.close();
  });
}

describe('recipients online at one node', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  holdOnEvery(async () => [new Push(await server.api('websockets-manager'))]);

  it('have a limit, and require the scope entry of their name', async () => {
    const push = new Push(await server.api('websockets-manager'));
    for (const limit of [0, 1_001]) {
      expect(await push.api.refusal(ONLINE, { limit })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'limit' });
    }
    const key = await server.createKey('websockets-manager-api:query:onlineRecipients');
    expect((await page(new Push(new Api(server.address, 'websockets-manager', key)))).count).toBe(0);
    const narrow = new Api(server.address, 'websockets-manager', await server.createKey('websockets-manager-api:query:messages'));
    expect((await narrow.refusal(ONLINE)).code).toBe('FORBIDDEN');
  });
});

withRedis('recipients online at two nodes', () => {
  let redis: OwnRedis;
  let proxy: FaultyProxy;
  let servers: TestServer[];
  const clients: Client[] = [];

  beforeAll(async () => {
    redis = await OwnRedis.start();
    proxy = await FaultyProxy.to(redis.url.replace('redis', 'http'));
    const a = await TestServer.start({ REDIS_URL: redis.url });
    const b = await TestServer.start({ ...a.settings, PORT: '0', REDIS_URL: proxy.endpoint.replace('http', 'redis') });
    servers = [a, b];
    await Promise.all(servers.map(isReady));
  });
  afterAll(async () => {
    for (const server of servers.toReversed()) await server.stop();
    await proxy.close();
    await redis.stop();
  });

  const isReady = ({ address }: TestServer) =>
    until(async () => (await fetch(`${address}/health/ready/websockets-manager`)).status === 200);
  const nodes = async () => {
    const key = await servers[0]!.createKey();
    return servers.map(({ address }) => new Push(new Api(address, 'websockets-manager', key)));
  };
  const inRedis = async (...command: string[]): Promise<any> => {
    const link = await RedisLink.open(
      { url: redis.url, isSecure: false },
      [`test-${randomBytes(4).toString('hex')}`],
      () => undefined,
    );
    const answer = await link.run((client) => client.sendCommand(command));
    link.destroy();
    return answer;
  };
  /** Ends the lease of a node, as if it had not renewed it for 15 s. */
  const endLease = (server: TestServer) =>
    inRedis('DEL', `platform-services:node:${server.app.get(Bus, { strict: false }).nodeId}`);

  holdOnEvery(nodes);

  it('count once if they are connected to both, and stay until their last connection is closed', async () => {
    const [a, b] = (await nodes()) as [Push, Push];
    const there = await b.connect('ann');
    const here = await a.connect('ann');
    for (const push of [a, b]) {
      expect(await page(push)).toMatchObject({ count: 1, items: [{ recipient: 'ann', connections: 2 }] });
    }
    await here.close();
    await until(async () => (await page(b)).items[0].connections === 1);
    expect(await page(a)).toMatchObject({ count: 1, items: [{ recipient: 'ann', connections: 1 }] });
    await there.close();
    await shows(a, []);
  });

  it('disappear with the lease of their node, and reappear with it', async () => {
    const [a, b] = (await nodes()) as [Push, Push];
    clients.push(await a.connect('ann'), await b.connect('ann'), await b.connect('bob'), await b.connect('cid'));
    await shows(a, ['ann', 'bob', 'cid']);
    await proxy.close();
    await until(async () => (await b.api.send(ONLINE)).errors?.[0]?.extensions.code === 'SERVICE_UNAVAILABLE');
    expect(namesOf(await page(a))).toEqual(['ann', 'bob', 'cid']);
    await endLease(servers[1]!);
    expect(await page(a)).toMatchObject({ count: 1, items: [{ recipient: 'ann', connections: 1 }] });
    await clients[2]!.close(); // while its node has no bus
    await proxy.open();
    await isReady(servers[1]!);
    await shows(a, ['ann', 'cid']);
    await shows(b, ['ann', 'cid']);
  });

  it('disappear with a crashed node, whichever request detects it first, and a global push removes no others', async () => {
    const [a, b] = (await nodes()) as [Push, Push];
    const key = `platform-services:online:${(await tenantIdOf(a)) as string}`;
    clients.push(await a.connect('ann'), await b.connect('bob'));
    await proxy.close();
    await until(async () => (await b.api.send(ONLINE)).errors?.[0]?.extensions.code === 'SERVICE_UNAVAILABLE');
    await endLease(servers[1]!);
    await a.pushGlobal('who is there');
    expect(await inRedis('ZRANGE', key, '0', '-1')).toEqual(['ann']);
    expect(await page(a)).toMatchObject({ count: 1, items: [{ recipient: 'ann' }] });
    await proxy.open();
    await isReady(servers[1]!);
    await shows(a, ['ann', 'bob']);
  });

  it('disappear with a crashed node that had thousands, except those also connected elsewhere', async () => {
    const [a] = (await nodes()) as [Push];
    const tenantId = (await tenantIdOf(a)) as string;
    clients.push(await a.connect('ann'));
    const crashed = `
      for i = 1, 2500 do
        for _, key in ipairs({KEYS[1], KEYS[1] .. ':crashed'}) do redis.call('zadd', key, 0, 'r-' .. i, 0, 'ann') end
      end
      redis.call('sadd', KEYS[2], 'crashed')`;
    const keys = [`platform-services:online:${tenantId}`, `platform-services:nodes:${tenantId}`];
    await inRedis('EVAL', crashed, '2', ...keys);
    const only = { count: 1, items: [{ recipient: 'ann', connections: 1 }], nextToken: null };
    expect(await page(a, { limit: 1 })).toMatchObject(only);
    expect(await inRedis('EXISTS', `platform-services:online:${tenantId}:crashed`)).toBe(0);
  });

  it('are listed again after Redis lost all its data', async () => {
    const [a, b] = (await nodes()) as [Push, Push];
    clients.push(await a.connect('ann'), await b.connect('bob'));
    await inRedis('FLUSHALL');
    await shows(a, ['ann', 'bob']);
    await shows(b, ['ann', 'bob']);
  });

  it('leave nothing behind in Redis', async () => {
    const [a, b] = (await nodes()) as [Push, Push];
    const tenantId = (await tenantIdOf(a)) as string;
    const own = [await a.connect('ann'), await b.connect('ann'), await b.connect('bob')];
    expect(await inRedis('KEYS', `*${tenantId}*`)).not.toEqual([]);
    await Promise.all(own.map((client) => client.close()));
    await until(async () => (await inRedis('KEYS', `*${tenantId}*`)).length === 0);
  });

  /** Returns the id of the tenant of an API. */
  const tenantIdOf = async ({ api }: Push) => {
    await api.ask('{version}');
    const lines = servers
      .flatMap(({ logLines }) => logLines)
      .map((line) => JSON.parse(line) as { tenantId?: string; key?: string });
    return lines.findLast(({ key }) => key !== undefined && api.key!.startsWith(key))?.tenantId;
  };
});
