// @nightly postgresql: no SQL of its own
import { needing, program, SERVICE } from './support/needs.js';
import { Api } from './support/api.js';
import { OwnRedis } from './support/redis.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis, program('redis-server')).describe;
const LIMIT = 40;
const remaining = ({ headers }: { headers: Headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);

withRedis('a rate limit of two nodes', () => {
  let redis: OwnRedis;
  let proxy: FaultyProxy;
  let a: TestServer;
  let b: TestServer;

  beforeAll(async () => {
    redis = await OwnRedis.start();
    proxy = await FaultyProxy.to(redis.url.replace('redis', 'http'));
    a = await TestServer.start({ RATE_LIMIT_PER_MINUTE: String(LIMIT), REDIS_URL: redis.url });
    const REDIS_URL = proxy.endpoint.replace('http', 'redis');
    b = await TestServer.start({ ...a.settings, PORT: '0', REDIS_URL });
    await until(async () => (await count(await tenant())).shared);
  });
  afterAll(async () => {
    await b.stop();
    await a.stop();
    await proxy.close();
    await redis.stop();
  });

  const tenant = async () => {
    const key = await a.createKey();
    return [new Api(a.address, 'email', key), new Api(b.address, 'email', key)] as const;
  };
  /** Points that each node counted after one request to each. */
  const count = async ([atA, atB]: Awaited<ReturnType<typeof tenant>>) => {
    const left = [remaining(await atA.send('{version}')), remaining(await atB.send('{version}'))];
    return { left, shared: left[1] === LIMIT - 2 };
  };

  /** Retries when the machine was too busy: then the nodes counted separately, and logged it. */
  const undisturbed = async (check: () => Promise<void>) => {
    for (;;) {
      await until(async () => (await count(await tenant())).shared);
      const failure = await check().then(
        () => undefined,
        (error: unknown) => error,
      );
      const told = (server: TestServer) => server.logLines.splice(0).filter((line) => line.includes('counts requests by itself'));
      if (told(a).concat(told(b)).length > 0) continue;
      if (failure) throw failure;
      return;
    }
  };

  it('is shared, exact to one request', () =>
    undisturbed(async () => {
      const nodes = await tenant();
      const answers = await Promise.all(Array.from({ length: LIMIT + 20 }, (_, index) => nodes[index % 2]!.send('{version}')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    }));

  it('charges one point for what one node refuses, and leaves the rest to both', () =>
    undisturbed(async () => {
      const [atA, atB] = await tenant();
      const many = `{${Array.from({ length: 30 }, (_, index) => `a${index}:version`).join(' ')}}`;
      expect(remaining(await atA.send(many))).toBe(10);
      const refused = await atB.send(many);
      expect([refused.status, remaining(refused)]).toEqual([429, 9]);
      expect(remaining(await atA.send('{version}'))).toBe(8);
    }));

  it('applies to each node separately while Redis is silent or down, and is shared again afterwards', async () => {
    proxy.toStore = () => 'swallow';
    const asking = await tenant();
    const startedAt = performance.now();
    expect((await count(asking)).left).toEqual([LIMIT - 1, LIMIT - 1]);
    expect(performance.now() - startedAt).toBeLessThan(2_000); // nobody waits as long as Redis could take
    await proxy.close();
    expect((await count(await tenant())).left).toEqual([LIMIT - 1, LIMIT - 1]);
    await proxy.open();
    await until(async () => (await count(await tenant())).shared);
  });
});
