import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, PUSH, PUSH_GLOBAL, REGISTER, until } from './support/websockets.js';

let server: TestServer;
let push: Push;

beforeAll(async () => {
  server = await TestServer.start();
});
beforeEach(async () => {
  push = new Push(await server.api('websockets-manager'));
});
afterAll(() => server.stop());

describe('registerRecipient', () => {
  it('returns a new token for every call, valid for 24 h, in the URL to connect to', async () => {
    const first = await push.register('ann', { topic: 'orders' });
    const second = await push.register('ann', { topic: 'orders' });
    expect(first.token).toEqual({ value: expect.any(String), recipient: 'ann', topic: 'orders', expiresAt: expect.any(String) });
    expect(first.token.value).not.toBe(second.token.value);
    expect(first.connectionUri).toBe(`${server.address.replace('http', 'ws')}/?token=${first.token.value}`);
    const lifetimeMs = Date.parse(first.token.expiresAt) - Date.now();
    expect(lifetimeMs).toBeGreaterThan(86_300_000);
    expect(lifetimeMs).toBeLessThanOrEqual(86_400_000);
  });

  it.each([60, 3_600, 86_400])('issues a token valid for %i s on request', async (expiresIn) => {
    const lifetimeMs = Date.parse((await push.register('ann', { expiresIn })).token.expiresAt) - Date.now();
    expect(lifetimeMs).toBeGreaterThan((expiresIn - 30) * 1_000);
    expect(lifetimeMs).toBeLessThanOrEqual(expiresIn * 1_000);
  });

  it.each([
    ['input.recipient', { recipient: '' }],
    ['input.recipient', { recipient: 'x'.repeat(1_025) }],
    ['input.topic', { topic: '' }],
    ['input.sourceIp', { sourceIp: '10.0.0.256' }],
    ['input.sourceIp', { sourceIp: 'localhost' }],
    ['input.expiresIn', { expiresIn: 59 }],
    ['input.expiresIn', { expiresIn: 86_401 }],
    ['input.origin', { origin: 'example.org' }],
    ['input.origin', { origin: 'https://example.org/path' }],
    ['input.origin', { origin: 'https://user@example.org' }],
    ['input.origin', { origin: 'ftp://example.org' }],
  ])('refuses a wrong %s, %j', async (field, given) => {
    const refusal = await push.api.refusal(REGISTER, { input: { recipient: 'ann', ...given } });
    expect(refusal).toMatchObject({ code: 'BAD_USER_INPUT', field });
  });
});

describe('pushMessage', () => {
  it('reaches every connection of the recipient as one frame, and is DELIVERED once a pong confirmed it', async () => {
    const [one, two, other] = [await push.connect('ann'), await push.connect('ann'), await push.connect('bob')];
    const { item, error, results } = await push.push('ann', 'hello "ann" 😀');
    expect(error).toBeNull();
    expect(item).toEqual({
      id: expect.any(String),
      recipient: 'ann',
      message: 'hello "ann" 😀',
      topic: null,
      status: 'PENDING',
      expiresAt: null,
      createdAt: expect.any(String),
      deliveredAt: null,
      cancelledAt: null,
      cancelReason: null,
      globalMessageId: null,
      inbox: false,
      seenAt: null,
      readAt: null,
      archivedAt: null,
    });
    expect(results).toEqual([{ recipient: 'ann', item, error: null }]);
    const frame = {
      id: item.id,
      recipient: 'ann',
      message: 'hello "ann" 😀',
      topic: null,
      globalMessageId: null,
      createdAt: item.createdAt,
      expiresAt: null,
    };
    expect(await one.received(1)).toEqual([frame]);
    expect(await two.received(1)).toEqual([frame]);
    const delivered = await push.settled(item.id, 'DELIVERED');
    expect(Date.parse(delivered.deliveredAt)).toBeGreaterThanOrEqual(Date.parse(item.createdAt));
    expect(delivered).toEqual({ ...item, status: 'DELIVERED', deliveredAt: delivered.deliveredAt });
    expect(other.frames).toEqual([]);
  });

  it('stays PENDING while the client does not pong', async () => {
    const silent = await push.connect('ann', {}, { autoPong: false });
    const { item } = await push.push('ann', 'one');
    await silent.received(1);
    const prober = await push.connect('bob');
    const { item: confirmed } = await push.push('bob', 'two');
    await push.settled(confirmed.id, 'DELIVERED');
    const { items } = await push.messages({ recipient: 'ann' });
    expect(items).toEqual([item]);
    silent.socket.pong('1');
    await push.settled(item.id, 'DELIVERED');
    await prober.close();
  });

  it('is not confirmed by pongs to foreign pings, or to pings that were not sent yet', async () => {
    const forger = await push.connect('ann', {}, { autoPong: false });
    for (const payload of ['99', '-1', 'x', '', '1e9', '999999999999999999999']) forger.socket.pong(payload);
    const { item } = await push.push('ann', 'one');
    await forger.received(1);
    const { item: second } = await push.push('ann', 'two');
    await forger.received(2);
    expect((await push.messages({ recipient: 'ann', status: 'PENDING' })).items).toHaveLength(2);
    forger.socket.pong('1');
    await push.settled(item.id, 'DELIVERED');
    expect((await push.messages({ recipient: 'ann', status: 'PENDING' })).items).toEqual([second]);
  });

  it('names recipients that are not connected if the message cannot wait, and cancels their messages at once', async () => {
    const ann = await push.connect('ann');
    const { item, error, results } = await push.push(['bob', 'ann', 'bob', 'cid'], 'now or never');
    expect(results.map(({ recipient }: any) => recipient)).toEqual(['bob', 'ann', 'cid']);
    expect(item).toMatchObject({
      recipient: 'bob',
      status: 'CANCELLED',
      cancelledAt: expect.any(String),
      cancelReason: 'NOT_CONNECTED',
    });
    expect((await push.messages({ recipient: 'bob' })).items[0].cancelReason).toBe('NOT_CONNECTED');
    expect(error.message).toBe('Not connected, and the message cannot wait; set expiresAt to queue it: "bob", "cid"');
    expect(results.map((one: any) => one.error?.message ?? null)).toEqual([
      'Not connected, and the message cannot wait; set expiresAt to queue it: "bob"',
      null,
      'Not connected, and the message cannot wait; set expiresAt to queue it: "cid"',
    ]);
    await ann.received(1);
    await push.settled(results[1].item.id, 'DELIVERED');
  });

  it('with a topic reaches only connections with exactly that topic; without one, all', async () => {
    const orders = await push.connect('ann', { topic: 'orders' });
    const plain = await push.connect('ann');
    const upper = await push.connect('ann', { topic: 'Orders' });
    await push.push('ann', 'with', { topic: 'orders' });
    await push.push('ann', 'without');
    await Promise.all([orders.received(2), plain.received(1), upper.received(1)]);
    expect([orders.texts, plain.texts, upper.texts]).toEqual([['with', 'without'], ['without'], ['without']]);
    const { error } = await push.push('ann', 'nobody', { topic: 'invoices' });
    expect(error.message).toContain('"ann"');
  });

  it('preserves the order of successive pushes', async () => {
    const ann = await push.connect('ann');
    const texts = Array.from({ length: 50 }, (_, index) => `m${index}`);
    for (const text of texts) await push.push('ann', text);
    await ann.received(50);
    expect(ann.texts).toEqual(texts);
  });

  it('with expiresAt queues a message, and sends it once and in the order of creation', async () => {
    const made = [];
    for (const text of ['a', 'b', 'c']) made.push((await push.push('ann', text, { expiresAt: inSeconds(60) })).item);
    expect(made.map(({ status }) => status)).toEqual(['PENDING', 'PENDING', 'PENDING']);
    await push.push('ann', 'with topic', { expiresAt: inSeconds(60), topic: 'orders' });
    const ann = await push.connect('ann');
    await ann.received(3);
    for (const { id } of made) await push.settled(id, 'DELIVERED');
    expect(ann.texts).toEqual(['a', 'b', 'c']);
    const later = await push.connect('ann', { topic: 'orders' });
    await later.received(1);
    await push.push('ann', 'live');
    await Promise.all([later.received(2), ann.received(4)]);
    expect(later.texts).toEqual(['with topic', 'live']);
  });

  it('sends a message again with the same id if the connection ended without confirming it', async () => {
    const silent = await push.connect('ann', {}, { autoPong: false });
    const { item } = await push.push('ann', 'again', { expiresAt: inSeconds(60) });
    await silent.received(1);
    silent.socket.terminate();
    const ann = await push.connect('ann');
    expect((await ann.received(1))[0].id).toBe(item.id);
    await push.settled(item.id, 'DELIVERED');
  });

  it('cancels a message that cannot wait if all its connections ended without confirming it', async () => {
    const [one, two] = [await push.connect('ann', {}, { autoPong: false }), await push.connect('ann', {}, { autoPong: false })];
    const { item } = await push.push('ann', 'lost');
    await Promise.all([one.received(1), two.received(1)]);
    one.socket.terminate();
    await until(async () => (await push.connections('ann')).length === 1);
    expect((await push.messages({ recipient: 'ann' })).items).toEqual([item]);
    two.socket.terminate();
    expect(await push.settled(item.id, 'CANCELLED')).toMatchObject({ cancelReason: 'CONNECTION_ENDED' });
    const late = await push.connect('ann');
    await push.push('ann', 'next');
    await late.received(1);
    expect(late.texts).toEqual(['next']);
  });

  it('cancels a message as of its expiry if the recipient did not connect, and does not send it later', async () => {
    const expiresAt = inSeconds(2);
    const { item } = await push.push('ann', 'too late', { expiresAt });
    const cancelled = await push.settled(item.id, 'CANCELLED');
    expect(cancelled).toMatchObject({ cancelledAt: expiresAt, expiresAt, deliveredAt: null });
    const ann = await push.connect('ann');
    await push.push('ann', 'next');
    await ann.received(1);
    expect(ann.texts).toEqual(['next']);
  });

  it('lets a message written before its expiry be confirmed after it', async () => {
    const silent = await push.connect('ann', {}, { autoPong: false });
    const expiresAt = inSeconds(2);
    const { item } = await push.push('ann', 'in time', { expiresAt });
    await silent.received(1);
    const { item: other } = await push.push('bob', 'nobody', { expiresAt });
    await push.settled(other.id, 'CANCELLED');
    silent.socket.pong('1');
    await push.settled(item.id, 'DELIVERED');
  });

  it('sends nothing twice for the same idempotency key, and refuses other content with CONFLICT', async () => {
    const ann = await push.connect('ann');
    const input = { recipients: ['ann', 'bob'], message: 'once', idempotencyKey: 'k1' };
    const first = (await push.api.ask(PUSH, { input })).pushMessage;
    await push.settled(first.item.id, 'DELIVERED');
    const again = (await push.api.ask(PUSH, { input })).pushMessage;
    expect(again.results.map(({ item }: any) => item.id)).toEqual(first.results.map(({ item }: any) => item.id));
    expect(again.error).toEqual(first.error);
    expect(again.item.status).toBe('DELIVERED');
    expect(await push.api.refusal(PUSH, { input: { ...input, message: 'other' } })).toMatchObject({
      code: 'CONFLICT',
      field: 'input.idempotencyKey',
    });
    await push.push('ann', 'after');
    await ann.received(2);
    expect(ann.texts).toEqual(['once', 'after']);
  });

  it('returns the first result for a repeated key even after the message has expired', async () => {
    const expiresAt = inSeconds(2);
    const input = { recipients: ['ann'], message: 'once', idempotencyKey: 'k3', expiresAt };
    const { item } = (await push.api.ask(PUSH, { input })).pushMessage;
    const global = { message: 'once', idempotencyKey: 'k3', expiresAt };
    const { pushGlobalMessage } = await push.api.ask(PUSH_GLOBAL, { input: global });
    await until(() => Date.now() > Date.parse(expiresAt));
    expect((await push.api.ask(PUSH, { input })).pushMessage.item.id).toBe(item.id);
    expect((await push.api.ask(PUSH_GLOBAL, { input: global })).pushGlobalMessage).toEqual(pushGlobalMessage);
    const late = { ...input, idempotencyKey: 'k4' };
    expect(await push.api.refusal(PUSH, { input: late })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.expiresAt' });
  });

  it('creates one message when the same key is used many times concurrently', async () => {
    const input = { recipients: ['ann'], message: 'once', idempotencyKey: 'k2', expiresAt: inSeconds(60) };
    const answers = await Promise.all(Array.from({ length: 8 }, () => push.api.ask(PUSH, { input })));
    expect(new Set(answers.map(({ pushMessage }) => pushMessage.item.id)).size).toBe(1);
    expect((await push.messages()).items).toHaveLength(1);
  });

  it.each([
    ['input.recipients', { recipients: [] }],
    ['input.recipients', { recipients: Array.from({ length: 1_001 }, (_, index) => `r${index}`) }],
    ['input.recipients.1', { recipients: ['ann', ''] }],
    ['input.recipients.0', { recipients: ['x'.repeat(1_025)] }],
    ['input.message', { message: '' }],
    ['input.message', { message: 'x'.repeat(65_537) }],
    ['input.message', { message: 'a\0b' }],
    ['input.topic', { topic: '' }],
    ['input.expiresAt', { expiresAt: '2020-01-01T00:00:00' }],
    ['input.idempotencyKey', { idempotencyKey: 'x'.repeat(257) }],
  ])('refuses a wrong %s', async (field, given) => {
    const input = { recipients: ['ann'], message: 'm', ...given };
    expect(await push.api.refusal(PUSH, { input })).toMatchObject({ code: 'BAD_USER_INPUT', field });
    expect((await push.messages()).items).toEqual([]);
  });

  it('accepts names and topics of 1,024 characters and messages of 64 KiB', async () => {
    const long = '漢'.repeat(1_024);
    const ann = await push.connect(long, { topic: long });
    const text = 'ü'.repeat(65_536);
    const { item } = await push.push(long, text, { topic: long });
    expect((await ann.received(1))[0]).toMatchObject({ recipient: long, message: text, topic: long });
    await push.settled(item.id, 'DELIVERED');
    expect((await push.messages({ recipient: long, topic: long })).items).toMatchObject([{ recipient: long, message: text }]);
    expect((await push.messages({ recipient: long.slice(1), topic: long })).items).toEqual([]);
    expect((await push.messages({ topic: long.slice(1) })).items).toEqual([]);
  });

  it('accepts 1,000 recipients, and stores a message for each', async () => {
    const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
    const ann = await push.connect('r999');
    const query = 'mutation($input:MessageInput!){pushMessage(input:$input){results{recipient error{message}}}}';
    const { results } = (await push.api.ask(query, { input: { recipients, message: 'x'.repeat(16_384) } })).pushMessage;
    expect(results.map(({ recipient }: any) => recipient)).toEqual(recipients);
    expect(results.filter(({ error }: any) => error === null)).toEqual([{ recipient: 'r999', error: null }]);
    await ann.received(1);
    const page = async (nextToken: string | null) =>
      (await push.api.ask('query($t:String){messages(limit:1000,nextToken:$t){items{id} nextToken}}', { t: nextToken })).messages;
    const first = await page(null); // which ends where its messages reach 8 MiB
    expect([...first.items, ...(await page(first.nextToken)).items]).toHaveLength(1_000);
  });
});

describe('pushGlobalMessage', () => {
  it('reaches all connections of the tenant with one frame, and counts each recipient once', async () => {
    const clients = [await push.connect('ann'), await push.connect('ann', { topic: 't' }), await push.connect('bob')];
    const stranger = await new Push(await server.api('websockets-manager')).connect('ann');
    const made = await push.pushGlobal('to all');
    const { id, createdAt } = made;
    expect(made).toEqual({ id, message: 'to all', topic: null, expiresAt: null, createdAt, cancelledAt: null });
    const frame = { id, recipient: null, message: 'to all', topic: null, globalMessageId: id, createdAt, expiresAt: null };
    for (const client of clients) expect(await client.received(1)).toEqual([frame]);
    const items = await until(async () => {
      const page = await push.messages({ globalMessageId: id, status: 'DELIVERED' });
      return page.items.length === 2 && page.items;
    });
    expect(items.map(({ recipient }: any) => recipient).sort()).toEqual(['ann', 'bob']);
    expect(items[0]).toMatchObject({ message: 'to all', globalMessageId: id, status: 'DELIVERED' });
    expect((await push.globalMessages()).items).toEqual([made]);
    expect(items.map(({ createdAt: at }: any) => at)).toEqual([createdAt, createdAt]);
    expect(new Set([id, ...items.map((item: any) => item.id)]).size).toBe(3);
    expect(stranger.frames).toEqual([]);
  });

  it('with expiresAt reaches every recipient that connects before then, once', async () => {
    const early = await push.connect('ann');
    const made = await push.pushGlobal('stay', { expiresAt: inSeconds(60), topic: undefined });
    await early.received(1);
    await until(async () => (await push.messages({ status: 'DELIVERED' })).items.length === 1);
    const [again, late] = [await push.connect('ann'), await push.connect('bob')];
    expect((await late.received(1))[0].id).toBe(made.id);
    await push.push('ann', 'after');
    await again.received(1);
    expect(again.texts).toEqual(['after']);
    await until(async () => (await push.messages({ globalMessageId: made.id, status: 'DELIVERED' })).items.length === 2);
  });

  it('is sent again to recipients that did not confirm it, until its expiry', async () => {
    const silent = await push.connect('ann', {}, { autoPong: false });
    const made = await push.pushGlobal('again', { expiresAt: inSeconds(60) });
    await silent.received(1);
    silent.socket.terminate();
    const ann = await push.connect('ann');
    expect((await ann.received(1))[0].id).toBe(made.id);
    await until(async () => (await push.messages({ globalMessageId: made.id, status: 'DELIVERED' })).items.length === 1);
    expect((await push.messages({ globalMessageId: made.id })).items).toHaveLength(1);
  });

  it('that cannot wait is CANCELLED for recipients whose connections ended without confirming it', async () => {
    const silent = await push.connect('ann', {}, { autoPong: false });
    const { id } = await push.pushGlobal('lost');
    await silent.received(1);
    silent.socket.terminate();
    await until(async () => (await push.messages({ globalMessageId: id, status: 'CANCELLED' })).items.length === 1);
    expect((await push.messages({ globalMessageId: id, status: 'CANCELLED' })).items[0].cancelReason).toBe('CONNECTION_ENDED');
  });

  it('with a topic reaches only connections with that topic', async () => {
    const [orders, plain] = [await push.connect('ann', { topic: 'orders' }), await push.connect('bob')];
    await push.pushGlobal('with', { topic: 'orders' });
    await push.pushGlobal('without');
    await Promise.all([orders.received(2), plain.received(1)]);
    expect([orders.texts, plain.texts]).toEqual([['with', 'without'], ['without']]);
  });

  it('sends nothing twice for the same idempotency key', async () => {
    const ann = await push.connect('ann');
    const input = { message: 'once', idempotencyKey: 'g1' };
    const first = await push.api.ask(PUSH_GLOBAL, { input });
    expect(await push.api.ask(PUSH_GLOBAL, { input })).toEqual(first);
    expect(await push.api.refusal(PUSH_GLOBAL, { input: { ...input, topic: 't' } })).toMatchObject({ code: 'CONFLICT' });
    await push.pushGlobal('after');
    await ann.received(2);
    expect(ann.texts).toEqual(['once', 'after']);
  });
});

describe('lists of messages', () => {
  it('are sorted newest first, and iteration returns every message once', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) ids.push((await push.push('ann', `m${index}`)).item.id);
    const seen: string[] = [];
    for (let nextToken: string | null = null; ;) {
      const page: any = await push.messages({ recipient: 'ann' }, { limit: 3, nextToken });
      seen.push(...page.items.map(({ id }: any) => id));
      nextToken = page.nextToken;
      if (seen.length === 3) await push.push('ann', 'written meanwhile');
      if (!nextToken) break;
    }
    expect(seen).toEqual(ids.toReversed());
    const { nextToken } = await push.messages({}, { limit: 1 });
    const query = 'query($t:String){messages(filter:{recipient:"bob"},nextToken:$t){nextToken}}';
    expect(await push.api.refusal(query, { t: nextToken })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'nextToken' });
  });

  it('combine filters with AND', async () => {
    const expiresAt = inSeconds(3_600);
    const one = (await push.push('ann', 'one', { topic: 't', expiresAt })).item;
    const two = (await push.push('bob', 'two', { topic: 't' })).item;
    const three = (await push.push('ann', 'three')).item;
    const global = await push.pushGlobal('four', { topic: 't', expiresAt });
    const found = async (filter: object) => (await push.messages(filter)).items.map(({ id }: any) => id);
    expect(await found({})).toEqual([three.id, two.id, one.id]);
    expect(await found({ topic: 't' })).toEqual([two.id, one.id]);
    expect(await found({ topic: 't', recipient: 'ann' })).toEqual([one.id]);
    expect(await found({ status: 'PENDING' })).toEqual([one.id]);
    expect(await found({ status: 'CANCELLED' })).toEqual([three.id, two.id]);
    expect(await found({ expiresAt: { from: expiresAt, to: expiresAt } })).toEqual([one.id]);
    expect(await found({ createdAt: { from: two.createdAt, to: two.createdAt }, recipient: 'bob' })).toEqual([two.id]);
    expect(await found({ globalMessageId: global.id })).toEqual([]);
    expect(await found({ globalMessageId: 'no id' })).toEqual([]);
    expect((await push.globalMessages({ topic: 't', createdAt: { from: global.createdAt } })).items).toEqual([global]);
    expect((await push.globalMessages({ expiresAt: { from: inSeconds(7_200) } })).items).toEqual([]);
    const query = 'query($filter:MessagesFilter){messages(filter:$filter){nextToken}}';
    const refusal = await push.api.refusal(query, { filter: { createdAt: { from: '2024-02-01', to: '2024-01-01' } } });
    expect(refusal).toMatchObject({ code: 'BAD_USER_INPUT', field: 'filter.createdAt.from' });
  });

  it('show nothing of another tenant', async () => {
    const other = new Push(await server.api('websockets-manager'));
    const { item } = await push.push('ann', 'secret', { expiresAt: inSeconds(60) });
    const global = await push.pushGlobal('secret', { expiresAt: inSeconds(60) });
    const spy = await other.connect('ann');
    expect((await other.messages({ recipient: 'ann' })).items).toEqual([]);
    expect((await other.messages({ globalMessageId: global.id })).items).toEqual([]);
    expect((await other.globalMessages()).items).toEqual([]);
    expect(await other.disconnect('ann')).toBe(1);
    expect((await spy.closed).code).toBe(4403);
    expect(spy.frames).toEqual([]);
    const ann = await push.connect('ann');
    expect((await ann.received(2)).map(({ id }) => id)).toEqual([item.id, global.id]);
  });
});

describe('connections and disconnectRecipient', () => {
  it('list and close every connection of a recipient, and its earlier tokens no longer connect', async () => {
    const { connectionUri } = await push.register('ann');
    const clients = [await push.connect('ann', { topic: 't' }), await Client.open(connectionUri)];
    const open = await push.connections('ann');
    expect(open).toEqual([
      { id: expect.any(String), recipient: 'ann', topic: 't', connectedAt: expect.any(String), sourceIp: expect.any(String) },
      { id: expect.any(String), recipient: 'ann', topic: null, connectedAt: expect.any(String), sourceIp: expect.any(String) },
    ]);
    expect(['127.0.0.1', '::1']).toContain(open[0].sourceIp);
    expect(await push.disconnect('ann')).toBe(2);
    for (const client of clients) expect(await client.closed).toMatchObject({ code: 4403 });
    await until(async () => (await push.connections('ann')).length === 0);
    expect((await (await Client.open(connectionUri)).closed).code).toBe(4401);
    const fresh = await push.connect('ann');
    expect(await push.connections('ann')).toHaveLength(1);
    await fresh.close();
    expect(await push.disconnect('nobody')).toBe(0);
  });
});
