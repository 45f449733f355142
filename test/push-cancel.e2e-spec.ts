import { TestServer } from './support/server.js';
import { CANCEL, CANCEL_GLOBAL, inSeconds, Push, until } from './support/websockets.js';

let server: TestServer;
let push: Push;

beforeAll(async () => {
  server = await TestServer.start();
});
beforeEach(async () => {
  push = new Push(await server.api('websockets-manager'));
});
afterAll(() => server.stop());

const CANCELLED = { status: 'CANCELLED', cancelledAt: expect.any(String), cancelReason: 'CANCELLED_BY_CALLER' };
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

describe('cancelMessage of push', () => {
  it('cancels a queued message: a recipient that connects later receives only later ones', async () => {
    const { item } = await push.push('ann', 'wrong', { expiresAt: inSeconds(600) });
    const { item: right } = await push.push('ann', 'right', { expiresAt: inSeconds(600) });
    const cancelled = await push.cancel(item.id);
    expect(cancelled).toEqual({ ...item, ...CANCELLED });
    expect((await push.messages({ status: 'CANCELLED' })).items).toEqual([cancelled]);
    const ann = await push.connect('ann');
    await push.settled(right.id, 'DELIVERED');
    expect(ann.texts).toEqual(['right']);
    ann.socket.terminate();
  });

  it('cancels an unconfirmed message, and a later confirmation changes nothing', async () => {
    const ann = await push.connect('ann', {}, { autoPong: false });
    const { item } = await push.push('ann', 'first', { expiresAt: inSeconds(600) });
    const { item: next } = await push.push('ann', 'next');
    await ann.received(2);
    const cancelled = await push.cancel(item.id);
    ann.socket.on('ping', (payload) => ann.socket.pong(payload));
    for (const sequence of ['1', '2']) ann.socket.pong(sequence);
    await push.settled(next.id, 'DELIVERED');
    expect(await push.settled(item.id, 'CANCELLED')).toEqual(cancelled);
    ann.socket.terminate();
  });

  it('returns the final status when a confirmation arrives concurrently', async () => {
    const ann = await push.connect('ann');
    for (let round = 0; round < 10; round++) {
      const { item } = await push.push('ann', 'm');
      if (round % 2) await ann.received(round + 1);
      const answer = await push.cancel(item.id).catch(() => undefined);
      const { items } = await push.messages();
      expect(items[0]).toMatchObject({ id: item.id, status: answer ? 'CANCELLED' : 'DELIVERED' });
      if (answer) expect(items[0]).toEqual(answer);
    }
    ann.socket.terminate();
  });

  it("returns a cancelled message unchanged, and refuses a delivered, an unknown and another tenant's message", async () => {
    const ann = await push.connect('ann');
    const { item: delivered } = await push.push('ann', 'm');
    await push.settled(delivered.id, 'DELIVERED');
    expect(await push.api.refusal(CANCEL, { id: delivered.id })).toMatchObject({ code: 'FAILED_PRECONDITION' });
    const { item } = await push.push('bob', 'm', { expiresAt: inSeconds(600) });
    const other = new Push(await server.api('websockets-manager'));
    for (const id of [item.id, UNKNOWN, 'x', '']) {
      expect(await other.api.refusal(CANCEL, { id })).toMatchObject({ code: 'NOT_FOUND' });
    }
    const cancelled = await push.cancel(item.id);
    expect(await push.cancel(item.id)).toEqual(cancelled);
    ann.socket.terminate();
  });

  it('cancels a global message for one recipient, and leaves the others', async () => {
    const [ann, bob] = [await push.connect('ann', {}, { autoPong: false }), await push.connect('bob', {}, { autoPong: false })];
    const { id } = await push.pushGlobal('to all', { expiresAt: inSeconds(600) });
    const parts = await until(async () => {
      const { items } = await push.messages({ globalMessageId: id });
      return items.length === 2 ? items : undefined;
    });
    const part = parts.find(({ recipient }: any) => recipient === 'ann');
    expect(await push.cancel(part.id)).toEqual({ ...part, ...CANCELLED });
    expect(await push.api.refusal(CANCEL, { id })).toMatchObject({ code: 'NOT_FOUND' });
    for (const client of [ann, bob]) client.socket.terminate();
    const [annAgain, bobAgain] = [await push.connect('ann'), await push.connect('bob')];
    await bobAgain.received(1);
    await push.push('ann', 'after');
    expect((await annAgain.received(1))[0].message).toBe('after');
    for (const client of [annAgain, bobAgain]) client.socket.terminate();
  });
});

describe('cancelGlobalMessage', () => {
  it('cancels a message for all recipients that have not confirmed it, and does not send it to later connections', async () => {
    const [quick, silent] = [await push.connect('ann'), await push.connect('bob', {}, { autoPong: false })];
    const made = await push.pushGlobal('wrong', { expiresAt: inSeconds(600) });
    await silent.received(1);
    await until(async () => (await push.messages({ globalMessageId: made.id, status: 'DELIVERED' })).items.length === 1);
    const cancelled = await push.cancelGlobal(made.id);
    expect(cancelled).toEqual({ ...made, cancelledAt: expect.any(String) });
    const parts = await until(async () => {
      const { items } = await push.messages({ globalMessageId: made.id, status: 'CANCELLED' });
      return items.length === 1 ? items : undefined;
    });
    expect(parts[0]).toMatchObject({ recipient: 'bob', cancelledAt: cancelled.cancelledAt });
    expect((await push.globalMessages()).items).toEqual([cancelled]);
    expect(await push.cancelGlobal(made.id)).toEqual(cancelled);
    const late = await push.connect('cid');
    await push.push('cid', 'after');
    expect((await late.received(1))[0].message).toBe('after');
    silent.socket.pong('1');
    await push.push('bob', 'after');
    await silent.received(2);
    silent.socket.pong('2');
    await until(async () => (await push.messages({ recipient: 'bob', status: 'DELIVERED' })).items.length === 1);
    expect((await push.messages({ globalMessageId: made.id, recipient: 'bob' })).items).toEqual(parts);
    for (const client of [quick, silent, late]) client.socket.terminate();
  });

  it('refuses an unknown message and one of another tenant', async () => {
    const { id } = await push.pushGlobal('to all');
    const other = new Push(await server.api('websockets-manager'));
    for (const wrong of [id, UNKNOWN, 'x']) {
      expect(await other.api.refusal(CANCEL_GLOBAL, { id: wrong })).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await push.cancelGlobal(id)).cancelledAt).not.toBeNull();
  });
});
