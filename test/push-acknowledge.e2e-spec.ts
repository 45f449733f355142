// @nightly postgresql: no SQL of its own
import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, until } from './support/websockets.js';

let server: TestServer;
let push: Push;

beforeAll(async () => {
  server = await TestServer.start();
});
beforeEach(async () => {
  push = new Push(await server.api('websockets-manager'));
});
afterAll(() => server.stop());

const acknowledge = true;
const ack = (client: Client, id: string): void => client.socket.send(JSON.stringify({ ack: id }));
const pending = async (recipient: string): Promise<string[]> =>
  (await push.messages({ recipient, status: 'PENDING' })).items.map(({ message }: any) => message).reverse();

/** Resolves when the client's WebSocket has answered a ping behind everything it received. */
const answered = async (client: Client): Promise<void> => {
  const ponged = new Promise((resolve) => client.socket.once('pong', resolve));
  client.socket.ping();
  await ponged;
  const bob = await push.connect('a prober');
  const { item } = await push.push('a prober', 'm');
  await push.settled(item.id, 'DELIVERED');
  bob.socket.terminate();
};

describe('a client with acknowledge', () => {
  it('confirms nothing by pongs: an acknowledgement makes its message and all earlier ones DELIVERED', async () => {
    const ann = await push.connect('ann', { acknowledge });
    const texts = ['one', 'two', 'three', 'four'];
    for (const text of texts) await push.push('ann', text);
    await ann.received(4);
    await answered(ann);
    expect(await pending('ann')).toEqual(texts);
    ack(ann, ann.frames[2].id);
    await push.settled(ann.frames[2].id, 'DELIVERED');
    expect(await pending('ann')).toEqual(['four']);
    ack(ann, ann.frames[3].id);
    await push.settled(ann.frames[3].id, 'DELIVERED');
    ann.socket.terminate();
  });

  it('acknowledges nothing by other frames', async () => {
    const ann = await push.connect('ann', { acknowledge });
    const { item } = await push.push('ann', 'm');
    await ann.received(1);
    const id = item.id as string;
    const wrong = [
      '',
      '{',
      'null',
      '[]',
      '7',
      `"${id}"`,
      '{"ack":1}',
      '{"ack":null}',
      `{"ack":["${id}"]}`,
      '{"ack":"other"}',
      `{"id":"${id}"}`,
    ];
    for (const text of wrong) ann.socket.send(text);
    ann.socket.send(Buffer.from(JSON.stringify({ ack: id })));
    await answered(ann);
    expect(await pending('ann')).toEqual(['m']);
    ack(ann, id);
    await push.settled(id, 'DELIVERED');
    ann.socket.terminate();
  });

  it('receives an unacknowledged message again after a reconnect if it can wait; otherwise the message is cancelled', async () => {
    const ann = await push.connect('ann', { acknowledge });
    const expiresAt = inSeconds(600);
    for (const text of ['one', 'two', 'three']) await push.push('ann', text, { expiresAt });
    await push.push('ann', 'cannot wait');
    const { id: global } = await push.pushGlobal('to all', { expiresAt });
    await ann.received(5);
    ack(ann, ann.frames[0].id);
    await push.settled(ann.frames[0].id, 'DELIVERED');
    ann.socket.terminate();
    await push.settled(ann.frames[3].id, 'CANCELLED');
    const again = await push.connect('ann', { acknowledge });
    await again.received(3);
    expect(again.texts).toEqual(['two', 'three', 'to all']);
    ack(again, global);
    await until(async () => (await push.messages({ recipient: 'ann', status: 'DELIVERED' })).items.length === 4);
    again.socket.terminate();
  });

  it('receives a backlog in windows of 256 KiB, each after the previous one was acknowledged', async () => {
    for (let count = 0; count < 10; count++) await push.push('ann', 'x'.repeat(60_000), { expiresAt: inSeconds(600) });
    const ann = await push.connect('ann', { acknowledge });
    await ann.received(4);
    await answered(ann);
    expect(ann.frames).toHaveLength(4);
    ack(ann, ann.frames[3].id);
    await ann.received(8);
    ack(ann, ann.frames[7].id);
    await ann.received(10);
    ann.socket.terminate();
  });

  it('confirms by pong or acknowledgement, whichever is first', async () => {
    const [strict, plain] = [await push.connect('ann', { acknowledge }), await push.connect('ann', {}, { autoPong: false })];
    const { item: first } = await push.push('ann', 'first');
    await Promise.all([strict.received(1), plain.received(1)]);
    plain.socket.pong('1');
    await push.settled(first.id, 'DELIVERED');
    const { item: second } = await push.push('ann', 'second');
    await Promise.all([strict.received(2), plain.received(2)]);
    ack(strict, second.id);
    await push.settled(second.id, 'DELIVERED');
    for (const client of [strict, plain]) client.socket.terminate();
  });
});

it('an acknowledgement is ignored from a client that did not ask for acknowledge', async () => {
  const ann = await push.connect('ann', {}, { autoPong: false });
  const { item } = await push.push('ann', 'm');
  await ann.received(1);
  ack(ann, item.id);
  await answered(ann);
  expect(await pending('ann')).toEqual(['m']);
  ann.socket.terminate();
});
