// @only postgresql: several nodes need a database over the network
// @nightly: waits until leases of killed and silent nodes have ended
import { needing, SERVICE } from './support/needs.js';
import { Cluster } from './support/cluster.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { type Push, until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis).describe;

withRedis('recipients of a node', () => {
  let cluster: Cluster;
  let a: Push;
  let b: Push;
  let c: Push;
  let hook: PolledWebhook;

  beforeAll(async () => {
    cluster = await Cluster.start();
    [a, b, c] = cluster.nodes as [Push, Push, Push];
    hook = await PolledWebhook.create(a.api, 'RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE');
    await hook.isKnownTo(cluster.nodes);
  });
  afterAll(() => cluster.stop());

  const told = async (name: string, count: number) =>
    (await hook.of(name, count)).map(({ type }) => type.replace('recipient.', '')).join();

  it('that loses Redis go offline when its lease has expired, and online when it is back', async () => {
    const [late, quick, other] = [await b.connect('late'), await b.connect('left'), await a.connect('other')];
    for (const name of ['late', 'left', 'other']) expect(await told(name, 1)).toBe('online');
    const proxy = cluster.toRedis[1]!;
    proxy.toStore = proxy.fromStore = () => 'swallow';
    await cluster.readiness(b, 503);
    await quick.close();
    for (const name of ['late', 'left']) expect(await told(name, 2)).toBe('online,offline');
    proxy.toStore = proxy.fromStore = () => 'pass';
    await cluster.readiness(b, 200);
    expect(await told('late', 3)).toBe('online,offline,online');
    await late.close();
    expect(await told('late', 4)).toBe('online,offline,online,offline');
    for (const [name, states] of [
      ['left', 'online,offline'],
      ['other', 'online'],
    ] as const) {
      expect(await told(name, 1)).toBe(states);
    }
    await other.close();
  });

  it('that is killed go offline once, except those connected elsewhere or reconnecting at once', async () => {
    await Promise.all([c.connect('killed'), c.connect('both'), c.connect('back')]);
    const stays = await a.connect('both');
    for (const name of ['killed', 'both', 'back']) expect(await told(name, 1)).toBe('online');
    await cluster.servers[2]!.stop('SIGKILL');
    const back = await b.connect('back');
    expect(await told('killed', 2)).toBe('online,offline');
    for (const name of ['both', 'back']) expect(await told(name, 1)).toBe('online');
    const again = await b.connect('killed');
    expect(await told('killed', 3)).toBe('online,offline,online');
    for (const client of [stays, back, again]) await client.close();
    expect(await told('killed', 4)).toBe('online,offline,online,offline');
    for (const name of ['both', 'back']) expect(await told(name, 2)).toBe('online,offline');
    await until(async () => (await a.api.ask('{onlineRecipients{count}}')).onlineRecipients.count === 0);
  });
});
