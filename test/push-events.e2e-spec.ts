import { MAX_NAME } from '../src/common/base/text.js';
import { allRowsOf } from './support/behind-the-api.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, until } from './support/websockets.js';

const MESSAGES = ['MESSAGE_DELIVERED', 'MESSAGE_CANCELLED'];
const COMINGS = ['RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE'];
const ALL = [...MESSAGES, ...COMINGS];

let server: TestServer;
let push: Push;
let hook: PolledWebhook;

beforeAll(async () => {
  server = await TestServer.start();
});
beforeEach(async () => {
  push = new Push(await server.api('websockets-manager'));
  hook = await PolledWebhook.create(push.api, ...ALL);
});
afterAll(() => server.stop());

const shown = async (id: string) => (await push.messages({}, { limit: 1_000 })).items.find((item: any) => item.id === id);

/** Checks that a message has one event so far, whose data is the message as the API shows it. */
async function tells(id: string, type: string, rest: object): Promise<void> {
  const events = await hook.of(id);
  expect(events).toEqual([{ type, subject: id, data: await shown(id) }]);
  expect(events[0]!.data).toMatchObject(rest);
}

/** Makes a message older, as if its time had passed, and returns its new id. */
async function aged(id: string, seconds: number): Promise<string> {
  const time = (Date.now() - seconds * 1_000).toString(16).padStart(12, '0');
  const older = `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`;
  const { message } = allRowsOf('only time makes a message old', server);
  await message.updateMany({ where: { pushId: id }, data: { pushId: older } });
  return older;
}

describe('the event of a message', () => {
  it('reports a confirmed one as delivered, once', async () => {
    const ann = await push.connect('ann');
    const { item } = await push.push('ann', 'hello', { topic: null, expiresAt: inSeconds(600) });
    await tells(item.id, 'message.delivered', { message: 'hello', recipient: 'ann', status: 'DELIVERED' });
    ann.socket.terminate();
  });

  it.each([{}, { idempotencyKey: 'k' }])('reports one that reaches nobody as cancelled: %j', async (rest) => {
    const { results } = await push.push(['bob', 'x'.repeat(300)], 'to nobody', rest);
    for (const { item } of results) {
      await tells(item.id, 'message.cancelled', { cancelReason: 'NOT_CONNECTED', recipient: item.recipient });
    }
    await push.push(['bob', 'x'.repeat(300)], 'to nobody', rest);
    const count = 'idempotencyKey' in rest ? 2 : 4;
    expect((await hook.events()).filter(({ type }) => type === 'message.cancelled')).toHaveLength(count);
  });

  it('reports one that its caller cancels as cancelled, even if it is cancelled twice', async () => {
    const { item } = await push.push('bob', 'wrong', { expiresAt: inSeconds(600) });
    expect(await hook.events()).toEqual([]);
    await push.cancel(item.id);
    await push.cancel(item.id);
    await tells(item.id, 'message.cancelled', { cancelReason: 'CANCELLED_BY_CALLER' });
  });

  it('reports one whose connections end as cancelled', async () => {
    const ann = await push.connect('ann', {}, { autoPong: false });
    const { item } = await push.push('ann', 'cut off');
    await ann.received(1);
    ann.socket.terminate();
    await tells(item.id, 'message.cancelled', { cancelReason: 'CONNECTION_ENDED' });
  });

  it('reports an expired one as cancelled, whether a frame was sent or not', async () => {
    const ann = await push.connect('ann', {}, { autoPong: false });
    const { item: waits } = await push.push('bob', 'waits', { expiresAt: inSeconds(1) });
    const { item: fleeting } = await push.push('ann', 'unconfirmed');
    await ann.received(1);
    const old = await aged(fleeting.id, 100);
    await tells(old, 'message.cancelled', { cancelReason: 'UNCONFIRMED' });
    await tells(waits.id, 'message.cancelled', { cancelReason: 'EXPIRED' });
    ann.socket.terminate();
  });

  it('contains the text and the full recipient name of a global one', async () => {
    const name = 'ü'.repeat(500);
    const ann = await push.connect(name);
    const silent = await push.connect('bob', {}, { autoPong: false });
    const { id } = await push.pushGlobal('to all', { expiresAt: inSeconds(600) });
    const copies = await until(async () => {
      const { items } = await push.messages({ globalMessageId: id });
      return items.length === 2 && items.some(({ status }: any) => status === 'DELIVERED') ? items : undefined;
    });
    const [delivered, pending] = [name, 'bob'].map((recipient) => copies.find((copy: any) => copy.recipient === recipient));
    await tells(delivered.id, 'message.delivered', { globalMessageId: id, message: 'to all', recipient: name });
    await push.cancelGlobal(id);
    await tells(pending.id, 'message.cancelled', { globalMessageId: id, message: 'to all', cancelReason: 'CANCELLED_BY_CALLER' });
    expect((await hook.events()).filter(({ type }) => type.startsWith('message'))).toHaveLength(2);
    for (const client of [ann, silent]) client.socket.terminate();
  });

  it('is sent for each of a hundred of maximum length', async () => {
    const text = 'é'.repeat(64 * 1024);
    const recipients = Array.from({ length: 100 }, (_, index) => `r${index}`);
    const { results } = await push.push(recipients, text);
    const events = await hook.events();
    expect(events.map(({ subject }) => subject).sort()).toEqual(results.map(({ item }: any) => item.id).sort());
    expect(events.every(({ data }) => data.message === text && data.cancelReason === 'NOT_CONNECTED')).toBe(true);
  });
});

describe('a recipient with events', () => {
  const comings = async (subject: string, count: number) =>
    (await hook.of(subject, count)).map(({ type, data }) => [type, data.recipient]);

  it('goes online with the first connection and offline with the last', async () => {
    const [one, other] = [await push.connect('ann'), await push.connect('ann', { topic: 't' })];
    const bob = await push.connect('bob');
    await one.close();
    const third = await push.connect('ann');
    await other.close();
    expect(await comings('ann', 1)).toEqual([['recipient.online', 'ann']]);
    await third.close();
    expect(await comings('ann', 2)).toEqual([
      ['recipient.online', 'ann'],
      ['recipient.offline', 'ann'],
    ]);
    expect(await comings('bob', 1)).toEqual([['recipient.online', 'bob']]);
    expect((await hook.of('bob'))[0]!.data).toEqual({ recipient: 'bob', at: expect.stringMatching(/^\d{4}-.*Z$/) });
    await bob.close();
  });

  it('whose many connections open and close concurrently has alternating events', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => push.connect('ann')));
    await Promise.all(clients.map((client) => client.close()));
    const last = await push.connect('ann');
    const types = await until(async () => {
      const events = await hook.of('ann', 3);
      return events.length % 2 === 1 ? events.map(({ type }) => type) : undefined;
    });
    expect(types).toEqual(types.map((_, index) => (index % 2 === 0 ? 'recipient.online' : 'recipient.offline')));
    await last.close();
  });

  it('with a revoked token does not go online', async () => {
    const { connectionUri } = await push.register('ann');
    await push.disconnect('ann');
    const client = await Client.open(connectionUri);
    expect((await client.closed).code).toBe(4401);
    await (await push.connect('bob')).close();
    await comings('bob', 2);
    expect((await hook.events()).map(({ subject }) => subject)).toEqual(['bob', 'bob']);
  });

  it('is the subject, however long its name', async () => {
    const name = '😀'.repeat(MAX_NAME / 2);
    const ann = await push.connect(name);
    expect(await comings(name, 1)).toEqual([['recipient.online', name]]);
    await ann.close();
  });
});

it('a recipient causes no rows for another tenant, or for a tenant without a webhook for these events', async () => {
  const other = new Push(await server.api('websockets-manager'));
  const onlyDelivered = await PolledWebhook.create(other.api, 'MESSAGE_DELIVERED');
  const none = new Push(await server.api('websockets-manager'));
  for (const one of [other, none]) {
    const ann = await one.connect('ann');
    const { item } = await one.push('ann', 'hello');
    await one.settled(item.id, 'DELIVERED');
    await one.push('bob', 'to nobody');
    const { item: waiting } = await one.push('bob', 'wrong', { expiresAt: inSeconds(600) });
    await one.cancel(waiting.id);
    await ann.close();
    await until(async () => (await one.connections('ann')).length === 0);
  }
  expect(await hook.events()).toEqual([]);
  expect((await onlyDelivered.events()).map(({ type }) => type)).toEqual(['message.delivered']);
  const { event } = allRowsOf('no API shows what no webhook is for', server);
  expect(await event.count({ where: { tenantId: await server.tenantIdOf(none.api) } })).toBe(0);
  expect(await event.count({ where: { tenantId: await server.tenantIdOf(other.api) } })).toBe(1);
});
