// Past the API: the table of states, and a run of the sweeper without its pause.
import { CONFIRMATION_MS, MessageStatus, TRANSITIONS } from '../src/modules/websockets-manager/messages/message-states.js';
import { TenantData } from '../src/common/tenants/tenant-data.js';
import { MessageExpiry } from '../src/modules/websockets-manager/messages/message-expiry.job.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Deployment } from './support/process.js';
import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, until } from './support/websockets.js';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';

const DAY_MS = 86_400_000;

describe('the state of a message', () => {
  let server: TestServer;
  let push: Push;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  beforeEach(async () => {
    push = new Push(await server.api('websockets-manager'));
  });
  afterAll(() => server.stop());

  /** Makes a push and all its times older, directly in the database. */
  const age = async (id: string, ms: number): Promise<string> => {
    const time = (Date.now() - ms).toString(16).padStart(12, '0');
    const older = `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`;
    const database = allRowsOf('only time makes a message old', server);
    await database.$executeRawUnsafe(`UPDATE "Message" SET "pushId" = '${older}' WHERE "pushId" = '${id}'`);
    const rows = await database.message.findMany({ where: { pushId: older } });
    const earlier = (date: Date | null) => date && new Date(date.getTime() - ms);
    for (const { tenantId, recipientKey, expiresAt, sentAt, deliveredAt, cancelledAt } of rows) {
      await database.message.update({
        where: { tenantId_pushId_recipientKey: { tenantId, pushId: older, recipientKey } },
        data: {
          expiresAt: earlier(expiresAt),
          sentAt: earlier(sentAt),
          deliveredAt: earlier(deliveredAt),
          cancelledAt: earlier(cancelledAt),
        },
      });
    }
    return older;
  };
  const only = async (recipient: string) => (await push.messages({ recipient })).items[0];
  const written = (recipient: string) =>
    until(() =>
      allRowsOf('no API shows when a message was sent to a connection', server).message.findFirst({
        where: { recipientKey: `=${recipient}`, sentAt: { not: null } },
      }),
    );

  it('changes only from PENDING to DELIVERED or CANCELLED', () => {
    expect(Object.values(TRANSITIONS).map(({ to }) => to)).not.toContain(MessageStatus.PENDING);
    for (const { to, stamp, reason } of Object.values(TRANSITIONS)) {
      expect(stamp).toBe(to === MessageStatus.DELIVERED ? 'deliveredAt' : 'cancelledAt');
      expect(reason === null).toBe(to === MessageStatus.DELIVERED);
    }
  });

  it('stays CANCELLED when a cancelled message is confirmed', async () => {
    const silent = await push.connect('eve', {}, { autoPong: false });
    const { item } = await push.push('eve', 'm');
    await silent.received(1);
    await age(item.id, CONFIRMATION_MS + 1_000);
    await until(async () => (await only('eve')).status === 'CANCELLED');
    const before = await only('eve');
    silent.socket.pong('1');
    const { item: next } = await push.push('eve', 'next');
    await silent.received(2);
    silent.socket.pong('2');
    await push.settled(next.id, 'DELIVERED');
    expect((await push.messages({ recipient: 'eve' })).items[1]).toEqual(before);
  });

  it('is CANCELLED 90 s after the push, as of then, for an unconfirmed message that cannot wait', async () => {
    const silent = await push.connect('fay', {}, { autoPong: false });
    const { item } = await push.push('fay', 'm');
    await silent.received(1);
    await age(item.id, CONFIRMATION_MS - 5_000);
    await server.app.get(MessageExpiry).settle(new AbortController().signal);
    expect((await only('fay')).status).toBe('PENDING');
    await age((await only('fay')).id, CONFIRMATION_MS + 1_000);
    await until(async () => (await only('fay')).status === 'CANCELLED');
    expect(Date.parse((await only('fay')).cancelledAt)).toBeGreaterThan(Date.now() - 20_000);
    expect((await only('fay')).cancelReason).toBe('UNCONFIRMED');
    silent.socket.terminate();
  });

  it('is CANCELLED as of its expiry for a queued message without a written frame', async () => {
    const expiresAt = inSeconds(2);
    await push.push('gil', 'm', { expiresAt });
    await until(async () => (await only('gil')).status === 'CANCELLED');
    expect(await only('gil')).toMatchObject({ cancelledAt: expiresAt, cancelReason: 'EXPIRED' });
  });

  it('is CANCELLED 90 s after its expiry, as of its expiry, for a message written before it', async () => {
    const silent = await push.connect('hal', {}, { autoPong: false });
    const { item } = await push.push('hal', 'm', { expiresAt: inSeconds(5) });
    await silent.received(1);
    await written('hal');
    const older = await age(item.id, CONFIRMATION_MS - 5_000);
    await server.app.get(MessageExpiry).settle(new AbortController().signal);
    expect((await only('hal')).status).toBe('PENDING');
    await age(older, 10_000);
    await until(async () => (await only('hal')).status === 'CANCELLED');
    const { expiresAt, cancelledAt, cancelReason } = await only('hal');
    expect([cancelledAt, cancelReason]).toEqual([expiresAt, 'EXPIRED_UNCONFIRMED']);
    silent.socket.terminate();
  });

  it('is removed after 30 days, stays while it is queued, and for a global message goes after its last copy', async () => {
    const ivy = await push.connect('ivy');
    const { item } = await push.push('ivy', 'old');
    const { item: recent } = await push.push('ivy', 'recent');
    const { id } = await push.pushGlobal('old, to all');
    await ivy.received(3);
    for (const one of [item.id, recent.id]) await push.settled(one, 'DELIVERED');
    await until(async () => (await push.messages({ globalMessageId: id, status: 'DELIVERED' })).items.length === 1);
    const { item: waiting } = await push.push('jon', 'waiting', { expiresAt: inSeconds(3_600) });
    await age(item.id, 31 * DAY_MS);
    const database = allRowsOf('only time makes a message old', server);
    const old = await age(id, 31 * DAY_MS);
    await database.globalMessage.updateMany({ where: { id }, data: { id: old } });
    const farAway = new Date(Date.now() + 40 * DAY_MS);
    await database.message.updateMany({ where: { pushId: waiting.id }, data: { expiresAt: farAway } });
    const kept = await age(waiting.id, 31 * DAY_MS);
    const { tenantId } = await database.message.findFirstOrThrow({ where: { pushId: kept } });
    const messages = server.app.get(TenantData).retained.find(({ kind }) => kind === 'messages')!;
    // One at a time: the own message goes before the global one.
    const before = new Date(Date.now() - 30 * DAY_MS);
    while ((await messages.remove(tenantId, before, { limit: 1 })).more);
    expect((await push.messages()).items.map((one: any) => one.id)).toEqual([recent.id, kept]);
    expect((await push.globalMessages()).items).toEqual([]);
  });
});

it('an unconfirmed message that can wait is sent again under its id after a node was killed, a confirmed one is not', async () => {
  const deployment = await Deployment.create();
  const key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
  const first = deployment.start({ PORT: '0' });
  const before = new Push(new Api(await first.ready(), 'websockets-manager', key));
  const [ann, bob] = [await before.connect('ann'), await before.connect('bob', {}, { autoPong: false })];
  const { connectionUri } = await before.register('ann');
  const { item: confirmed } = await before.push('ann', 'confirmed', { expiresAt: inSeconds(600) });
  await before.settled(confirmed.id, 'DELIVERED');
  const { results } = await before.push(['ann', 'bob', 'cid'], 'in progress', { expiresAt: inSeconds(600) });
  await bob.received(1);
  await first.stop('SIGKILL');
  for (const client of [ann, bob]) expect((await client.closed).code).toBe(1006);
  const second = deployment.start({ PORT: '0' });
  const address = await second.ready();
  const after = new Push(new Api(address, 'websockets-manager', key));
  const again = await Client.open(connectionUri.replace(/:\d+\//, `:${new URL(address).port}/`));
  const others = [await after.connect('bob'), await after.connect('cid')];
  for (const client of others) await client.received(1);
  for (const { item } of results) await after.settled(item.id, 'DELIVERED');
  expect(others.map(({ frames }) => frames[0].id)).toEqual([results[1].item.id, results[2].item.id]);
  expect(again.frames.map(({ id }) => id)).not.toContain(confirmed.id);
  expect(ann.frames.length + again.frames.length).toBeGreaterThanOrEqual(2);
  await deployment.remove();
});

it('a frame just written and unconfirmed is recorded by a node that stops', async () => {
  const deployment = await Deployment.create();
  const key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
  const node = deployment.start({ PORT: '0' });
  const push = new Push(new Api(await node.ready(), 'websockets-manager', key));
  const bob = await push.connect('bob', {}, { autoPong: false });
  await push.push('bob', 'just before', { expiresAt: inSeconds(600) });
  await bob.received(1);
  expect(await node.stop()).toBe(0);
  expect(
    await deployment.query(
      'no API shows when a message was sent to a connection',
      'SELECT "recipientKey" FROM "Message" WHERE "sentAt" IS NOT NULL',
    ),
  ).toHaveLength(1);
  expect(node.output).not.toContain('"level":50');
  await deployment.remove();
});
