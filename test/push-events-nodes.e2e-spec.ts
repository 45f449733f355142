// @only postgresql: several nodes need a database over the network
import { needing, SERVICE } from './support/needs.js';
import { Cluster } from './support/cluster.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { type Client, type Push, until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis).describe;

withRedis('recipients of three nodes', () => {
  let cluster: Cluster;
  let nodes: Push[];
  let hook: PolledWebhook;

  beforeAll(async () => {
    cluster = await Cluster.start();
    ({ nodes } = cluster);
    hook = await PolledWebhook.create(nodes[0]!.api, 'RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE');
    await hook.isKnownTo(nodes);
  });
  afterAll(() => cluster.stop());

  const told = async (name: string, count: number) => (await hook.of(name, count)).map(({ type }) => type);
  const everywhere = (name: string): Promise<Client[]> => Promise.all(nodes.map((node) => node.connect(name)));
  const close = (clients: Client[]): Promise<unknown> => Promise.all(clients.map((client) => client.close()));
  const gone = (name: string) => until(async () => (await nodes[0]!.connections(name)).length === 0);

  it('go online once and offline once, wherever they connect and in whichever order they leave', async () => {
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const name = `ann ${order.join()}`;
      const clients = await everywhere(name);
      for (const index of order.slice(0, 2)) await clients[index]!.close();
      await until(async () => (await nodes[0]!.connections(name)).length === 1);
      expect(await told(name, 1)).toEqual(['recipient.online']);
      await clients[order[2]!]!.close();
      expect(await told(name, 2)).toEqual(['recipient.online', 'recipient.offline']);
    }
  });

  it('that come and go concurrently on all nodes have alternating events', async () => {
    for (let round = 0; round < 5; round++) await close(await everywhere('bob'));
    const staying = await nodes[1]!.connect('bob');
    const events = await until(async () => {
      const some = await hook.of('bob', 1);
      return some.filter(({ type }) => type === 'recipient.online').length * 2 === some.length + 1 ? some : undefined;
    });
    expect(events.length).toBeGreaterThan(2);
    await staying.close();
    await gone('bob');
  });

  it('do not go online again when Redis has lost its data, and go offline once', async () => {
    const clients = await everywhere('carl');
    expect(await told('carl', 1)).toEqual(['recipient.online']);
    await cluster.redis.stop();
    for (const node of nodes) await cluster.readiness(node, 503);
    await cluster.redis.start();
    for (const node of nodes) await cluster.readiness(node, 200);
    await until(async () => (await nodes[0]!.connections('carl')).length === 3);
    await close([await nodes[1]!.connect('carl'), ...clients.slice(0, 2)]);
    expect(await told('carl', 1)).toEqual(['recipient.online']);
    await clients[2]!.close();
    expect(await told('carl', 2)).toEqual(['recipient.online', 'recipient.offline']);
    await close([await nodes[0]!.connect('carl')]);
    expect(await told('carl', 4)).toEqual(['online', 'offline', 'online', 'offline'].map((state) => `recipient.${state}`));
  });

  it('go offline with a stopped node, and online where they connect next', async () => {
    const node = cluster.startNode(cluster.toRedis[0]!);
    const d = await cluster.at(node);
    await hook.isKnownTo([d]);
    const [moves, both] = [await d.connect('dora'), [await d.connect('emil'), await nodes[0]!.connect('emil')]];
    expect(await node.stop()).toBe(0);
    await moves.closed;
    expect(await told('dora', 2)).toEqual(['recipient.online', 'recipient.offline']);
    await close([await nodes[1]!.connect('dora')]);
    expect(await told('dora', 4)).toHaveLength(4);
    expect(await told('emil', 1)).toEqual(['recipient.online']);
    await close([both[1]!]);
    expect(await told('emil', 2)).toEqual(['recipient.online', 'recipient.offline']);
  });
});
