import { inboxRounds } from './contracts/inbox.contract.js';
import { Inbox } from './support/inbox.js';
import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, until } from './support/websockets.js';

describe('an inbox', () => {
  let server: TestServer;
  let push: Push;
  let inbox: Inbox;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  beforeEach(async () => {
    push = new Push(await server.api('websockets-manager'));
    inbox = new Inbox(push.api, 'ann');
  });
  afterAll(() => server.stop());

  it('lists the messages pushed to it, newest first, with the number of unread ones on all pages', async () => {
    for (const text of ['one', 'two', 'three']) await push.push('ann', text, { inbox: true });
    await push.push('ann', 'not in it', { expiresAt: inSeconds(600) });
    await push.push('bob', 'of another', { inbox: true });
    const first = await inbox.page({ limit: 2 });
    expect(first).toMatchObject({ items: [{ message: 'three', inbox: true, readAt: null }, { message: 'two' }], unread: 3 });
    const { items, nextToken } = await inbox.page({ limit: 2, nextToken: first.nextToken });
    expect([items.map(({ message }: any) => message), nextToken]).toEqual([['one'], null]);
  });

  it('keeps a message for 30 days by default, waiting for its recipient, and gives it to every connection', async () => {
    const { item, error } = await push.push('ann', 'm', { inbox: true });
    expect([item.status, error]).toEqual(['PENDING', null]);
    const days = (Date.parse(item.expiresAt) - Date.parse(item.createdAt)) / 86_400_000;
    expect(days).toBeCloseTo(30, 3);
    const client = await push.connect('ann');
    const [frame] = await client.received(1);
    expect(frame).toMatchObject({ id: item.id, inbox: true });
    await push.settled(item.id, 'DELIVERED');
    expect(await inbox.texts()).toEqual(['m']);
  });

  it('is left by a message that expires, is cancelled or is archived', async () => {
    const rest = { inbox: true };
    await push.push('ann', 'expires', { ...rest, expiresAt: inSeconds(2) });
    const { item: cancelled } = await push.push('ann', 'cancelled', rest);
    const { item: archived } = await push.push('ann', 'archived', rest);
    await push.push('ann', 'stays', rest);
    await push.cancel(cancelled.id);
    expect(await inbox.mark('ARCHIVED', { ids: [archived.id, cancelled.id] })).toBe(1);
    await until(async () => (await inbox.texts()).length === 1);
    expect(await inbox.page()).toMatchObject({ items: [{ message: 'stays' }], unread: 1 });
    expect(await inbox.texts({ filter: { archived: true } })).toEqual(['archived']);
    expect(await inbox.mark('READ', { all: true })).toBe(1);
  });

  it('marks messages as seen, read and unread once, and lists them by it', async () => {
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c']) ids.push((await push.push('ann', text, { inbox: true })).item.id);
    expect(await inbox.mark('SEEN', { ids })).toBe(3);
    expect(await inbox.mark('READ', { ids: [ids[0]!, ids[0]!, ids[1]!] })).toBe(2);
    expect(await inbox.mark('READ', { ids: [ids[0]!, 'no id', '00000000-0000-7000-8000-000000000000'] })).toBe(0);
    expect([await inbox.texts({ filter: { read: true } }), await inbox.texts({ filter: { read: false } })]).toEqual([
      ['b', 'a'],
      ['c'],
    ]);
    expect(await inbox.mark('UNREAD', { all: true })).toBe(2);
    const { items, unread } = await inbox.page();
    expect(items.map(({ seenAt, readAt }: any) => [typeof seenAt, readAt])).toEqual(ids.map(() => ['string', null]));
    expect(unread).toBe(3);
    expect(await inbox.mark('READ', { all: true })).toBe(3);
    expect((await push.messages({ recipient: 'ann' })).items).toHaveLength(3);
  });

  it('refuses ids together with all, neither, none and too many, and names what is wrong', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => String(index));
    const wrong = [{}, { all: false }, { ids: ['a'], all: true }, { ids: [] }, { ids }];
    for (const marked of wrong) expect(await inbox.fault('READ', marked)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'ids' });
  });

  it('of another recipient or tenant stays as it is', async () => {
    const { item } = await push.push('ann', 'm', { inbox: true });
    const other = new Push(await server.api('websockets-manager'));
    expect(await new Inbox(push.api, 'bob').mark('READ', { ids: [item.id] })).toBe(0);
    expect(await new Inbox(other.api, 'ann').mark('READ', { ids: [item.id] })).toBe(0);
    expect(await new Inbox(other.api, 'ann').mark('ARCHIVED', { all: true })).toBe(0);
    const foreign = await other.connect('ann', { inbox: true });
    foreign.socket.send(JSON.stringify({ archived: item.id }));
    await until(() => foreign.frames.length >= 2);
    expect(await inbox.page()).toMatchObject({ items: [{ readAt: null, archivedAt: null }], unread: 1 });
  });

  it('tells connections that asked the number of unread messages when they open and after each change', async () => {
    await push.push('ann', 'first', { inbox: true, topic: 'elsewhere' });
    const client = await push.connect('ann', { inbox: true });
    const plain = await push.connect('ann');
    const counts = () => client.frames.flatMap((frame) => (frame.id ? [] : [frame.inbox.unread]));
    await until(() => counts().at(-1) === 1);
    const { item } = await push.push('ann', 'second', { inbox: true, topic: 'elsewhere' });
    await until(() => counts().at(-1) === 2);
    await inbox.mark('READ', { ids: [item.id] });
    await until(() => counts().at(-1) === 1);
    await inbox.mark('READ', { ids: [item.id] });
    await inbox.mark('UNREAD', { ids: [item.id] });
    await until(() => counts().at(-1) === 2);
    await push.cancel(item.id);
    await until(() => counts().at(-1) === 1);
    expect(counts()).toEqual([1, 2, 1, 2, 1]);
    expect(plain.frames).toEqual([]);
  });

  it('accepts marks of connections that asked, and of no others', async () => {
    const { item } = await push.push('ann', 'm', { inbox: true });
    const [client, plain] = [await push.connect('ann', { inbox: true }), await push.connect('ann', { acknowledge: true })];
    plain.socket.send(JSON.stringify({ read: item.id }));
    for (const [state, column] of [
      ['seen', 'seenAt'],
      ['read', 'readAt'],
      ['archived', 'archivedAt'],
    ] as const) {
      expect((await push.api.ask(`{messages{items{${column}}}}`)).messages.items).toEqual([{ [column]: null }]);
      client.socket.send(JSON.stringify({ [state]: item.id }));
      await until(async () => (await push.api.ask(`{messages{items{${column}}}}`)).messages.items[0][column]);
      if (state !== 'read') continue;
      client.socket.send(JSON.stringify({ unread: item.id }));
      await until(async () => (await inbox.page()).unread === 1);
    }
    for (const text of ['{"read":7}', '{"read":"x"}', 'null', '[]', '{"archived":{}}']) client.socket.send(text);
    expect((await inbox.page()).items).toEqual([]);
  });

  it('has the same unread number in two tabs after 100 marks and pushes at once', async () => {
    await inboxRounds([push, push], process.env.TEST_LONG === '1' ? 2 : 1);
  });

  it('gets one message for a repeated idempotency key, which differs from one without inbox', async () => {
    const rest = { inbox: true, idempotencyKey: 'k' };
    const [one, two] = [await push.push('ann', 'm', rest), await push.push('ann', 'm', rest)];
    expect(one.item.id).toBe(two.item.id);
    expect(await inbox.texts()).toEqual(['m']);
    const { errors } = await push.api.send(
      'mutation{pushMessage(input:{recipients:["ann"],message:"m",idempotencyKey:"k"}){item{id}}}',
    );
    expect(errors![0]!.extensions.code).toBe('CONFLICT');
  });

  it('is offered to named recipients only', async () => {
    const { errors } = await push.api.send('mutation{pushGlobalMessage(input:{message:"m",inbox:true}){id}}');
    expect(errors![0]!.message).toContain('"inbox" is not defined');
  });

  it('counts at most 1,000 unread messages, and marks all of 1,200 in steps', async () => {
    const fields = Array.from(
      { length: 100 },
      (_, at) => `p${at}:pushMessage(input:{recipients:["ann"],message:"m",inbox:true}){item{id}}`,
    );
    for (let count = 0; count < 12; count++) await push.api.ask(`mutation{${fields.join(' ')}}`);
    expect((await inbox.page({ limit: 1 })).unread).toBe(1_000);
    expect(await inbox.mark('READ', { all: true })).toBe(1_200);
    expect((await inbox.page({ limit: 1 })).unread).toBe(0);
  });

  it('answers a thousand marks of a connection by the number of unread messages that is left', async () => {
    const pushed = Array.from(
      { length: 100 },
      (_, at) => `p${at}:pushMessage(input:{recipients:["ann"],message:"m",inbox:true}){item{id}}`,
    );
    const answers: Record<string, { item: { id: string } }> = await push.api.ask(`mutation{${pushed.join(' ')}}`);
    const ids = Object.values(answers).map(({ item }) => item.id);
    const client: Client = await push.connect('ann', { inbox: true });
    for (let round = 0; round < 10; round++) {
      for (const id of ids) client.socket.send(JSON.stringify({ [round % 2 ? 'unread' : 'read']: id }));
    }
    for (const id of ids.slice(0, 40)) client.socket.send(JSON.stringify({ read: id }));
    // The rest of the waiting messages may come after the count.
    await until(() => client.frames.findLast(({ inbox: count }) => count?.unread !== undefined)?.inbox.unread === 60);
    expect((await inbox.page()).unread).toBe(60);
  });
});
