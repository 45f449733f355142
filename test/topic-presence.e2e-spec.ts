// @nightly postgresql: no SQL of its own
import { TestServer } from './support/server.js';
import { type Client, Push, until } from './support/websockets.js';

const LIST =
  'query($topic:String!,$limit:Int,$nextToken:String){topicRecipients(topic:$topic,limit:$limit,nextToken:$nextToken){items{recipient connections connectedAt} count nextToken}}';
const list = async ({ api }: Push, topic: string, rest: object = {}) => (await api.ask(LIST, { topic, ...rest })).topicRecipients;
const names = async (push: Push, topic: string): Promise<string[]> =>
  (await list(push, topic)).items.map(({ recipient }: any) => recipient);
const change = (push: Push, recipient: string, topics: object) =>
  push.api.ask(
    'mutation($recipient:String!,$add:[String!],$remove:[String!]){changeTopics(recipient:$recipient,add:$add,remove:$remove){id}}',
    { recipient, ...topics },
  );
/** Returns the presence frames of a client as text. */
const told = ({ frames }: Client): string[] =>
  frames.filter((frame) => frame.presence).map(({ presence, topic, recipient }) => `${presence} ${topic} ${recipient}`);

describe('a recipient of a topic', () => {
  let server: TestServer;
  let push: Push;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  beforeEach(async () => {
    push = new Push(await server.api('websockets-manager'));
  });
  afterAll(() => server.stop());

  /** Pushes a message to a client, and returns what it was told before. */
  const toldBefore = async (client: Client): Promise<string[]> => {
    const text = `end ${client.frames.length}`;
    await push.pushGlobal(text);
    await until(() => client.texts.includes(text));
    return told(client);
  };

  it('with three connections joins once and leaves once, and those who asked are told', async () => {
    const before = Date.now();
    const watching = await push.connect('watcher', { topics: ['room/*'], presence: true });
    const quiet = await push.connect('quiet', { topics: ['room/*', 'room/1'] });
    const single = await push.connect('single', { topic: 'room/1', presence: true });
    const tabs = [
      await push.connect('ann', { topics: ['room/1'] }),
      await push.connect('ann', { topics: ['room/1', 'room/2', 'other'] }),
      await push.connect('ann', { topic: 'room/1' }),
    ];
    for (const tab of tabs) await tab.close();
    const wanted = ['join room/1 ann', 'join room/2 ann', 'leave room/2 ann', 'leave room/1 ann'];
    await until(() => told(watching).length === 6);
    expect((await toldBefore(watching)).toSorted()).toEqual(['join room/1 quiet', 'join room/1 single', ...wanted].toSorted());
    expect(await toldBefore(single)).toEqual(['join room/1 ann', 'leave room/1 ann']);
    expect(await toldBefore(quiet)).toEqual([]);
    const frame = watching.frames.find(({ presence }) => presence);
    expect(Object.keys(frame)).toEqual(['presence', 'topic', 'recipient', 'at']);
    expect(Date.parse(frame.at)).toBeGreaterThanOrEqual(before);
  });

  it('joins and leaves by changeTopics, and its messages are confirmed beside the frames of others', async () => {
    const watching = await push.connect('watcher', { topics: ['a', 'b'], presence: true });
    const ann = await push.connect('ann', { topics: ['a'] });
    await change(push, 'ann', { add: ['b'], remove: ['a'] });
    const { item } = await push.push('watcher', 'message', { topic: 'b' });
    await push.settled(item.id, 'DELIVERED');
    expect(await toldBefore(watching)).toEqual(['join a ann', 'join b ann', 'leave a ann']);
    expect([await names(push, 'a'), await names(push, 'b')]).toEqual([['watcher'], ['ann', 'watcher']]);
    await ann.close();
    await until(async () => (await names(push, 'b')).length === 1);
  });

  it('is listed once, in pages of names, with its connections that have the topic', async () => {
    const all = Array.from({ length: 25 }, (_, index) => `r${String(index).padStart(2, '0')}`);
    for (const name of all) await push.connect(name, { topics: ['room', 'x/*'] });
    await push.connect('r00', { topics: ['room'] });
    await push.connect('r00');
    await push.connect('r99', { topics: ['room/*', 'rooms'] });
    expect(await list(push, 'room', { limit: 1 })).toMatchObject({ count: 25, items: [{ recipient: 'r00', connections: 2 }] });
    const walked: string[] = [];
    for (let nextToken: string | null = null, pages = 0; pages === 0 || nextToken !== null; pages++) {
      const page: any = await list(push, 'room', { limit: 10, nextToken });
      walked.push(...page.items.map(({ recipient }: any) => recipient));
      nextToken = page.nextToken;
    }
    expect(walked).toEqual(all);
    for (const topic of ['x/*', 'x/1', 'nothing'])
      expect(await list(push, topic)).toEqual({ items: [], count: 0, nextToken: null });
    const { nextToken } = await list(push, 'room', { limit: 10 });
    const { errors } = await push.api.send(LIST, { topic: 'rooms', nextToken });
    expect(errors![0]!.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('is neither listed nor told to another tenant', async () => {
    const other = new Push(await server.api('websockets-manager'));
    const eve = await other.connect('eve', { topics: ['room', 'room/*'], presence: true });
    await push.connect('ann', { topics: ['room', 'room/1'] });
    expect([await names(other, 'room'), await names(push, 'room')]).toEqual([['eve'], ['ann']]);
    await other.pushGlobal('end');
    await until(() => eve.texts.includes('end'));
    expect(told(eve)).toEqual([]);
  });

  it('joins a topic of more than a thousand connections without a frame to each of them', async () => {
    const clients = await push.connectAll(
      Array.from({ length: 1_001 }, (_, index) => [`r${index}`, { topics: ['crowd'], presence: index === 0 }]),
    );
    await push.connect('ann', { topics: ['crowd'] });
    expect(await toldBefore(clients[0]!)).not.toContain('join crowd ann');
    expect(await list(push, 'crowd', { limit: 1 })).toMatchObject({ count: 1_002 });
    for (const { socket } of clients) socket.terminate();
  });
});
