// Past the API: a node that ends between the commit and the frame.
import { BacklogService } from '../src/modules/websockets-manager/delivery/backlog.service.js';
import { PushRouterService } from '../src/modules/websockets-manager/messages/push-router.service.js';
import { Connections } from '../src/modules/websockets-manager/sockets/connections.js';
import { TestServer } from './support/server.js';
import { recordStatements } from './support/statements.js';
import { type Client, inSeconds, Push, until } from './support/websockets.js';

describe('a message that was stored, and not sent by the node that stored it,', () => {
  let server: TestServer;
  let push: Push;
  let router: PushRouterService;
  const clients: Client[] = [];
  beforeAll(async () => {
    server = await TestServer.start();
    push = new Push(await server.api('websockets-manager'));
    router = server.app.get(PushRouterService, { strict: false });
  });
  afterEach(() => {
    for (const { socket } of clients.splice(0)) socket.terminate();
  });
  afterAll(() => server.stop());

  const connect = async (recipient: string, rest: object = {}) => {
    const client = await push.connect(recipient, rest);
    clients.push(client);
    return client;
  };
  /** Acts like a node that dies after the commit: nothing is sent, and the caller gets no result. */
  const unsent = async (run: () => Promise<unknown>) => {
    const { send, sendGlobal } = router;
    router.send = router.sendGlobal = async () => {
      throw new Error('the node has ended');
    };
    await expect(run()).rejects.toThrow();
    Object.assign(router, { send, sendGlobal });
  };
  const expiresAt = inSeconds(1_200);

  it('reaches connected recipients, once each; so does a global one, and none of another topic', async () => {
    const [ann, red, blue] = [
      await connect('ann'),
      await connect('bob', { topic: 'red' }),
      await connect('bob', { topic: 'blue' }),
    ];
    await unsent(() => push.push(['ann', 'nobody'], 'own', { expiresAt }));
    await unsent(() => push.push('bob', 'of a topic', { expiresAt, topic: 'red' }));
    await unsent(() => push.pushGlobal('to all', { expiresAt }));
    await Promise.all([ann.received(2), red.received(2), blue.received(1)]);
    const sentNow = await push.push('bob', 'last');
    await Promise.all([red.received(3), blue.received(2)]);
    expect(sentNow.error).toBeNull();
    expect([ann.texts, red.texts, blue.texts]).toEqual([
      ['own', 'to all'],
      ['of a topic', 'to all', 'last'],
      ['to all', 'last'],
    ]);
    const [{ id }] = ann.frames as [{ id: string }];
    await push.settled(id, 'DELIVERED');
    expect((await push.messages({ recipient: 'nobody' })).items).toMatchObject([{ status: 'PENDING' }]);
  });

  it('reaches recipients with long names, and those that connected twice under one name', async () => {
    push = new Push(await server.api('websockets-manager'));
    const long = `recipient ${'of a long name '.repeat(20)}`;
    const all = [await connect(long), await connect('eve'), await connect('eve'), await connect('mallory')];
    await unsent(() => push.push([long, 'eve'], 'own', { expiresAt }));
    await Promise.all(all.slice(0, 3).map((client) => client.received(1)));
    expect(all.map(({ texts }) => texts)).toEqual([['own'], ['own'], ['own'], []]);
  });

  it('reaches its recipient even while more messages wait for others than one poll returns', async () => {
    const ann = await connect('ann');
    for (let count = 0; count < 11; count++) {
      const absent = Array.from({ length: 1_000 }, (_, index) => `absent ${count} ${index}`);
      await push.push(absent, 'waits', { expiresAt });
    }
    await unsent(() => push.push('ann', 'own', { expiresAt }));
    await ann.received(1);
    expect(ann.texts).toEqual(['own']);
  });

  it('is sent by a repeat with its idempotency key, and by none once it was delivered', async () => {
    const backlog = server.app.get(BacklogService, { strict: false });
    backlog.stop(); // only the repeat can send it
    const [ann, bob] = [await connect('ann'), await connect('bob')];
    const rest = { expiresAt, idempotencyKey: 'order 17' };
    await unsent(() => push.push(['ann', 'bob'], 'shipped', rest));
    const { results } = await push.push(['ann', 'bob'], 'shipped', rest);
    await Promise.all([ann.received(1), bob.received(1)]);
    const ids = results.map(({ item }: { item: { id: string } }) => item.id);
    for (const id of ids) await push.settled(id, 'DELIVERED');
    expect((await push.push(['ann', 'bob'], 'shipped', rest)).results.map(({ item }: any) => item.status)).toEqual([
      'DELIVERED',
      'DELIVERED',
    ]);
    await push.push(['ann', 'bob'], 'after');
    await Promise.all([ann.received(2), bob.received(2)]);
    expect([ann.texts, bob.texts]).toEqual([
      ['shipped', 'after'],
      ['shipped', 'after'],
    ]);
  });

  it('is looked for once at each connection if it is global, and again at those that were busy then', async () => {
    push = new Push(await server.api('websockets-manager'));
    const backlog = Object(server.app.get(BacklogService, { strict: false }));
    backlog.stop(); // the polls below take its place
    const [ann, bob] = [await connect('ann'), await connect('bob')];
    const tenantId = await server.tenantIdOf(push.api);
    const [busy] = server.app.get(Connections, { strict: false }).ofRecipient(tenantId, 'bob', null);
    busy!.hold();
    await unsent(() => push.pushGlobal('to all', { expiresAt }));
    const at = Date.now();
    await until(() => Date.now() - at > 5_100); // younger ones may be on their way
    backlog.isStopped = false;
    const { texts, stop } = recordStatements();
    const looks = (): number => texts.filter((text) => text.includes('g."id" FROM w CROSS JOIN "GlobalMessage"')).length;
    for (let poll = 0; poll < 3; poll++) await backlog.sendUnsent();
    await ann.received(1);
    expect(bob.texts).toEqual([]);
    busy!.release(() => undefined);
    for (let poll = 0; poll < 3; poll++) await backlog.sendUnsent();
    await bob.received(1);
    await until(async () => (await push.messages({ status: 'DELIVERED' })).items.length === 2);
    const before = looks();
    for (let poll = 0; poll < 3; poll++) await backlog.sendUnsent();
    stop();
    expect([before, looks()]).toEqual([2, 2]); // ann, then bob
    expect([ann.texts, bob.texts]).toEqual([['to all'], ['to all']]);
  });
});
