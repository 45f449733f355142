// @only postgresql: several nodes need a database over the network
import { rewindRounds } from './contracts/rewind.contract.js';
import { Cluster } from './support/cluster.js';
import { needing, program, SERVICE } from './support/needs.js';
import { FaultyProxy } from './support/s3.js';
import { type Client, type Push, until } from './support/websockets.js';

const withRedis = needing(SERVICE.redis, program('redis-server')).describe;
const told = ({ frames }: Client): string[] =>
  frames.filter((frame) => frame.presence).map(({ presence, topic, recipient }) => `${presence} ${topic} ${recipient}`);
const listed = async ({ api }: Push, topic: string) => {
  const query = 'query($topic:String!){topicRecipients(topic:$topic){items{recipient connections}}}';
  const { items } = (await api.ask(query, { topic })).topicRecipients;
  return items.map(({ recipient, connections }: any) => `${recipient} ${connections}`);
};

withRedis('the recipients of a topic on three nodes', () => {
  let cluster: Cluster;
  let nodes: [Push, Push, Push];
  beforeAll(async () => {
    cluster = await Cluster.start();
    nodes = cluster.nodes as typeof nodes;
  });
  afterAll(() => cluster.stop());

  it('join once and leave once, however many connections on different nodes open and close at once', async () => {
    const [a, b, c] = nodes;
    const watching = await Promise.all(
      nodes.map((node, index) => node.connect(`w${index}`, { topics: ['room/*'], presence: true })),
    );
    for (let round = 0; round < 10; round++) {
      const [topic, name] = [`room/${round}`, `ann${round}`];
      const tabs = await Promise.all([a, b, c, a].map((node) => node.connect(name, { topics: [topic] })));
      for (const node of nodes) expect(await listed(node, topic)).toEqual([`${name} 4`]);
      await Promise.all(tabs.map((tab) => tab.close()));
      await until(() => watching.every((client) => told(client).length >= 2 * (round + 1)));
      for (const node of nodes) expect(await listed(node, topic)).toEqual([]);
    }
    const wanted = Array.from({ length: 10 }, (_, round) => [
      `join room/${round} ann${round}`,
      `leave room/${round} ann${round}`,
    ]);
    for (const client of watching) expect(told(client)).toEqual(wanted.flat());
    for (const { socket } of watching) socket.terminate();
  });

  it('receive each of its last messages once while others are pushed through all nodes, replayed ones first, in 30 rounds', async () => {
    await rewindRounds(nodes, 30);
  });

  it('have left it soon after their node was killed, and those of other nodes stay', async () => {
    const [a, b] = nodes;
    const proxy = await FaultyProxy.to(cluster.redis.url.replace('redis', 'http'));
    const killed = cluster.startNode(proxy);
    const d = await cluster.at(killed);
    const watching = await b.connect('watcher', { topics: ['hall'], presence: true });
    await Promise.all([
      ...Array.from({ length: 50 }, (_, index) => d.connect(`r${index}`, { topics: ['hall'] })),
      d.connect('both', { topics: ['hall'] }),
      a.connect('both', { topics: ['hall'] }),
    ]);
    await until(() => told(watching).length === 51);
    await killed.stop('SIGKILL');
    const began = Date.now();
    await until(async () => (await listed(a, 'hall')).length === 2);
    const tookMs = Date.now() - began;
    await until(() => told(watching).length === 101);
    expect(
      told(watching)
        .slice(51)
        .every((frame) => frame.startsWith('leave hall r')),
    ).toBe(true);
    expect((await listed(b, 'hall')).map((one: string) => one.split(' ')[0])).toEqual(['both', 'watcher']);
    if (process.env.SHOW_TIMES) console.log(`left after ${tookMs} ms`);
    await proxy.close();
  });

  it('are restored after Redis lost its data, and after their node was silent', async () => {
    const [a, b] = nodes;
    const watching = await a.connect('watcher', { topics: ['yard'], presence: true });
    const ann = await b.connect('ann', { topics: ['yard'] });
    await until(() => told(watching).length === 1);
    const toB = cluster.toRedis[1]!;
    toB.toStore = toB.fromStore = () => 'swallow';
    await until(async () => (await listed(a, 'yard')).length === 1);
    toB.pass();
    toB.cut(); // no TCP connection continues after losing bytes: replies would be taken for those of other commands
    await until(async () => (await listed(a, 'yard')).length === 2);
    await cluster.redis.stop();
    await cluster.redis.start();
    for (const node of nodes) await cluster.readiness(node, 200);
    await until(async () => (await listed(a, 'yard').catch(() => [])).length === 2);
    await ann.close();
    await until(async () => (await listed(a, 'yard')).length === 1);
    watching.socket.terminate();
  });
});
