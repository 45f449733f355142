// @only postgresql: several nodes need a database over the network
import { inboxRounds } from './contracts/inbox.contract.js';
import { Cluster } from './support/cluster.js';
import { EventStream } from './support/event-streams.js';
import { Inbox } from './support/inbox.js';
import { needing, program, SERVICE } from './support/needs.js';
import { type Client, type Push, until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis, program('redis-server')).describe;
const unreadIn = ({ frames }: Client): number | undefined => frames.findLast(({ id }) => id === undefined)?.inbox.unread;

withRedis('an inbox on three nodes', () => {
  let cluster: Cluster;
  let nodes: [Push, Push, Push];
  beforeAll(async () => {
    cluster = await Cluster.start();
    nodes = cluster.nodes as typeof nodes;
  });
  afterAll(() => cluster.stop());

  it('has the same unread number in tabs of two nodes, whatever both mark while a third pushes', async () => {
    await inboxRounds([nodes[0], nodes[1]], 5);
    await inboxRounds([nodes[1], nodes[2]], 5);
  });

  it('tells its tabs the number that they missed during an outage of the bus', async () => {
    const [a, b] = nodes;
    const inbox = new Inbox(a.api, 'outage');
    const tabs = [await a.connect('outage', { inbox: true }), await b.connect('outage', { inbox: true })];
    await a.push('outage', 'm', { inbox: true });
    await until(() => tabs.every((tab) => unreadIn(tab) === 1));
    await cluster.redis.stop();
    await inbox.mark('READ', { all: true });
    await until(() => unreadIn(tabs[0]!) === 0);
    await cluster.redis.start();
    await until(() => unreadIn(tabs[1]!) === 0);
  });

  it('takes acknowledgements and marks of an event stream on any node, and after its end on its own node alone', async () => {
    const [a, b, c] = nodes;
    const stream = await EventStream.open((await a.register('posts', { inbox: true })).eventsUri);
    const at = ({ api }: Push) => stream.uri.replace(/:\d+\//, `:${new URL(api.address).port}/`);
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) ids.push((await a.push('posts', text, { inbox: true })).item.id);
    await until(() => stream.frames.filter(({ id }) => id).length === 3);
    expect(await stream.acknowledge(ids[1]!, stream.id, at(b))).toBe(204);
    await a.manySettled('posts', 2, 'DELIVERED');
    expect(await stream.post({ read: ids[0] }, stream.id, at(c))).toBe(204);
    const inbox = new Inbox(c.api, 'posts');
    await until(async () => (await inbox.page()).unread === 2);
    await until(() => stream.frames.at(-1).inbox.unread === 2);
    stream.drop();
    await until(async () => (await a.connections('posts')).length === 0);
    expect(await stream.post({ read: ids[1] }, stream.id, at(c))).toBe(404);
    expect((await inbox.page()).unread).toBe(2);
    expect(await stream.acknowledge(ids[2]!, stream.id, at(b))).toBe(404);
    expect(await stream.acknowledge(ids[2]!)).toBe(204);
    await a.manySettled('posts', 3, 'DELIVERED');
  });

  it('has the state of the database after a node is killed between a mark and its frame', async () => {
    const [a, b] = nodes;
    const inbox = new Inbox(b.api, 'killed');
    const ids: string[] = [];
    for (let count = 0; count < 50; count++) ids.push((await a.push('killed', 'm', { inbox: true })).item.id);
    const there = await b.connect('killed', { inbox: true });
    const tab = await nodes[2].connect('killed', { inbox: true });
    for (const id of ids) tab.socket.send(JSON.stringify({ read: id }));
    await until(async () => (await inbox.page({ limit: 1 })).unread < 50);
    cluster.servers[2]!.child.kill('SIGKILL');
    await tab.closed;
    const { unread } = await inbox.page({ limit: 1 });
    const again = await a.connect('killed', { inbox: true });
    await until(() => unreadIn(again) === unread);
    await a.push('killed', 'm', { inbox: true });
    await until(() => unreadIn(there) === unread + 1);
    const read = (await inbox.page()).items.filter(({ readAt }: any) => readAt);
    expect(read).toHaveLength(50 - unread);
  });
});
