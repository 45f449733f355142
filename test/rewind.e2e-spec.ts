import { rewindRounds } from './contracts/rewind.contract.js';
import { TestServer } from './support/server.js';
import { type Client, inSeconds, Push, until } from './support/websockets.js';

const LAST = { messages: 100, seconds: 3_600 };
const replayed = ({ frames }: Client): string[] => frames.filter((frame) => frame.replayed).map(({ message }) => message);

describe('a connection that asks for the last messages of its topics', () => {
  let server: TestServer;
  let push: Push;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  beforeEach(async () => {
    push = new Push(await server.api('websockets-manager'));
  });
  afterAll(() => server.stop());

  /** Connects, and returns what it received before a message that was pushed then. */
  const connected = async (recipient: string, rest: object): Promise<Client> => {
    const client = await push.connect(recipient, rest);
    await push.pushGlobal('end');
    await until(() => client.texts.includes('end'));
    return client;
  };

  it('receives them in order, marked as replayed, then live ones without the mark', async () => {
    for (const topic of ['a', 'b/1', 'other', 'b/2', 'a', undefined]) await push.pushGlobal(`to ${topic}`, { topic });
    const first = await push.connect('ann', { topics: ['a'] });
    await push.push('ann', 'own', { topic: 'a' });
    await push.push('bob', 'of bob', { topic: 'a', expiresAt: inSeconds(60) });
    await push.manySettled('ann', 1, 'DELIVERED');
    const client = await push.connect('ann', { topics: ['a', 'b/*'], rewind: LAST });
    await push.pushGlobal('live', { topic: 'a' });
    await until(() => client.texts.includes('live'));
    expect(client.texts).toEqual(['to a', 'to b/1', 'to b/2', 'to a', 'own', 'live']);
    expect(client.frames.map((frame) => frame.replayed)).toEqual([true, true, true, true, true, undefined]);
    expect(first.frames.some((frame) => 'replayed' in frame)).toBe(false);
    const { items } = await push.messages({ recipient: 'ann', status: 'DELIVERED' });
    expect(items.find(({ message }: any) => message === 'own').deliveredAt).toBeTruthy();
  });

  it('receives at most as many of each topic and as old as it asks for, and the newest of a pattern', async () => {
    for (let index = 0; index < 6; index++) {
      await push.pushGlobal(`a ${index}`, { topic: 'a' });
      await push.pushGlobal(`b/${index % 2} ${index}`, { topic: `b/${index % 2}` });
    }
    const client = await connected('ann', { topics: ['a', 'b/*', 'b/0'], rewind: { messages: 2, seconds: 3_600 } });
    expect(replayed(client)).toEqual(['b/0 2', 'a 4', 'b/0 4', 'a 5', 'b/1 5']);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await push.pushGlobal('new', { topic: 'a' });
    expect(replayed(await connected('bob', { topic: 'a', rewind: { messages: 100, seconds: 1 } }))).toEqual(['new']);
  });

  it('receives no cancelled or expired message, none of another recipient or tenant, and queued ones once, unmarked', async () => {
    const other = new Push(await server.api('websockets-manager'));
    await other.pushGlobal('foreign', { topic: 'a' });
    await push.push('ann', 'not connected', { topic: 'a' });
    const { id } = await push.pushGlobal('cancelled', { topic: 'a', expiresAt: inSeconds(600) });
    await push.cancelGlobal(id);
    const expiry = Date.now() + 300;
    await push.push('ann', 'expired', { topic: 'a', expiresAt: new Date(expiry).toISOString() });
    await push.push('bob', 'of bob', { topic: 'a', expiresAt: inSeconds(600) });
    await push.push('ann', 'queued', { topic: 'a', expiresAt: inSeconds(600) });
    await push.pushGlobal('queued global', { topic: 'a', expiresAt: inSeconds(600) });
    await push.pushGlobal('replayed', { topic: 'a' });
    await until(() => Date.now() > expiry);
    const client = await connected('ann', { topics: ['a'], rewind: LAST });
    expect(client.texts).toEqual(['replayed', 'queued', 'queued global', 'end']);
    expect(replayed(client)).toEqual(['replayed']);
    await push.manySettled('ann', 4, 'DELIVERED');
    const again = await connected('ann', { topics: ['a'], rewind: LAST });
    expect(again.texts).toEqual(['queued', 'queued global', 'replayed', 'end']);
    expect(replayed(again)).toEqual(['queued', 'queued global', 'replayed']);
  });

  it('receives more than a client reads at once, the newest thousand of all topics', async () => {
    const topics = Array.from({ length: 12 }, (_, index) => `t${index}`);
    for (const topic of topics) {
      const fields = Array.from({ length: 100 }, (_, at) => `p${at}:pushGlobalMessage(input:{message:"${topic} ${at} ${'x'.repeat(1_000)}",topic:"${topic}"}){id}`); // prettier-ignore
      await push.api.ask(`mutation{${fields.join(' ')}}`);
    }
    const client = await push.connect('ann', { topics, rewind: LAST });
    await client.received(1_000);
    await push.pushGlobal('end');
    await until(() => client.texts.includes('end'));
    expect(client.frames).toHaveLength(1_001);
    expect(new Set(client.frames.map(({ id }) => id)).size).toBe(1_001);
    expect(replayed(client)[0]).toMatch(/^t2 0 /);
  });

  it('is refused with no or too many messages, or an age over a day', async () => {
    const refused = async (rewind: object) => {
      const query = 'mutation($input:RegisterRecipientInput!){registerRecipient(input:$input){connectionUri}}';
      return (await push.api.send(query, { input: { recipient: 'ann', topics: ['a'], rewind } })).errors?.[0]?.message;
    };
    expect(await refused({ messages: 101, seconds: 1 })).toBe('input.rewind.messages: must be from 1 to 100 messages');
    expect(await refused({ messages: 0, seconds: 1 })).toBe('input.rewind.messages: must be from 1 to 100 messages');
    expect(await refused({ messages: 1, seconds: 86_401 })).toBe('input.rewind.seconds: must be from 1 to 86400 seconds');
    expect(await refused({ messages: 100, seconds: 86_400 })).toBeUndefined();
  });

  it('receives each message once while others are pushed, replayed ones first, in 30 rounds', async () => {
    await rewindRounds([push], 30);
  });
});
