// @nightly postgresql: no SQL of its own
// Past the API: shorter limits than the constants.
import { ConnectionLifecycle } from '../src/modules/websockets-manager/sockets/connection-lifecycle.js';
import { frame, OP, RawSocket } from './support/raw-socket.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push, until } from './support/websockets.js';

type Limits = ConnectionLifecycle['flusher']['pings']['limits'];

/** A server whose heartbeats do not disturb. */
async function startWith(limits: Partial<Limits>): Promise<[TestServer, Push]> {
  const server = await TestServer.start({ WEBSOCKET_HEARTBEAT_SECONDS: '300' });
  Object.assign(server.app.get(ConnectionLifecycle, { strict: false }).flusher.pings.limits, limits);
  return [server, new Push(await server.api('websockets-manager'))];
}

const NEVER_LATER = { piggybackAfterMs: Infinity, maxPingDelayMs: Infinity };
const BUSY = { promptPerSecond: 0 };
const opcodes = (raw: RawSocket): number[] => raw.frames.map(({ opcode }) => opcode);
const taken = async (raw: RawSocket, opcode: number): Promise<string> => String((await raw.take(opcode))?.payload);

describe('the confirmation of a message', () => {
  let server: TestServer;
  let push: Push;
  const open = async (recipient: string) => RawSocket.open((await push.register(recipient)).connectionUri);
  const delivered = async (recipient: string, count: number) =>
    until(async () => (await push.messages({ recipient, status: 'DELIVERED' })).items.length === count);
  const pending = async (recipient: string) => (await push.messages({ recipient, status: 'PENDING' })).items.length;
  const start = async (limits: Partial<Limits>) => {
    [server, push] = await startWith(limits);
  };
  afterEach(() => server.stop());

  it('is requested immediately by an idle node', async () => {
    await start(NEVER_LATER);
    const raw = await open('ann');
    for (const number of ['1', '2', '3']) {
      await push.push('ann', number);
      expect(await taken(raw, OP.ping)).toBe(number);
    }
    raw.send(frame(OP.pong, '3'));
    await delivered('ann', 3);
  });

  it('is requested by a busy node with 31 others, and one pong confirms all of them', async () => {
    await start({ ...BUSY, ...NEVER_LATER });
    const raw = await open('ann');
    for (let count = 1; count < 32; count++) await push.push('ann', 'x');
    expect(await raw.isAlive()).toBe(true);
    expect(opcodes(raw)).toEqual(Array.from({ length: 31 }, () => OP.text));
    await push.push('ann', 'last');
    expect(await taken(raw, OP.ping)).toBe('32');
    expect(opcodes(raw)).toHaveLength(32);
    expect(await pending('ann')).toBe(32);
    raw.send(frame(OP.pong, '32'));
    await delivered('ann', 32);
  });

  it('is requested by a busy node with a later message, whose pong confirms both', async () => {
    await start({ ...BUSY, piggybackAfterMs: 0, maxPingDelayMs: Infinity });
    const raw = await open('ann');
    await push.push('ann', 'one');
    expect(await raw.isAlive()).toBe(true);
    expect(opcodes(raw)).toEqual([OP.text]);
    await push.push('ann', 'two');
    expect(await taken(raw, OP.ping)).toBe('2');
    raw.send(frame(OP.pong, '2'));
    await delivered('ann', 2);
  });

  it('is requested by a busy node alone if no other message follows', async () => {
    await start(BUSY);
    const clients = await Promise.all(['ann', 'bob', 'cid'].map((name) => push.connect(name)));
    const { results } = await push.push(['ann', 'bob', 'cid'], 'only one');
    for (const { item } of results) await push.settled(item.id, 'DELIVERED');
    for (const client of clients) client.socket.terminate();
  });

  it('is missing if the connection ended before it was requested, and the message is sent again', async () => {
    await start({ ...BUSY, ...NEVER_LATER });
    const early = await push.connect('ann');
    const { item } = await push.push('ann', 'again', { expiresAt: inSeconds(600) });
    await early.received(1);
    early.socket.terminate();
    const late = await push.connect('ann');
    expect((await late.received(1))[0].id).toBe(item.id);
    expect(await pending('ann')).toBe(1);
    late.socket.terminate();
  });

  it('is requested before a node that stops closes its connection', async () => {
    await start({ ...BUSY, ...NEVER_LATER });
    const raw = await open('ann');
    await push.push('ann', 'last');
    await raw.take(OP.text);
    const stopped = server.app.close();
    expect(await taken(raw, OP.ping)).toBe('1');
    expect(await raw.closeCode()).toBe(1001);
    raw.socket.destroy();
    await stopped;
  });

  it('is requested at once in a backlog if the next messages wait for it', async () => {
    await start({ ...BUSY, ...NEVER_LATER });
    for (let count = 0; count < 10; count++) await push.push('ann', 'x'.repeat(60_000), { expiresAt: inSeconds(600) });
    const ann = await push.connect('ann');
    await ann.received(10);
    ann.socket.terminate();
  });
});

describe('a pong', () => {
  let server: TestServer;
  let push: Push;
  beforeAll(async () => {
    [server, push] = await startWith({});
  });
  afterAll(() => server.stop());

  const pong = frame(OP.pong, '2');
  it.each([
    ['in one piece', [pong]],
    ['byte by byte', [...pong].map((byte) => Buffer.from([byte]))],
    ['behind another pong', [Buffer.concat([frame(OP.pong, '1'), pong])]],
    ['behind a text', [Buffer.concat([frame(OP.text, 'hi'), pong])]],
    ['after a text', [frame(OP.text, 'hi'), pong]],
    ['with half of a text behind it', [Buffer.concat([pong, frame(OP.text, 'hi').subarray(0, 4)])]],
    ['behind one of another kind', [Buffer.concat([frame(OP.pong, 'x'), frame(OP.pong), pong])]],
  ])('confirms the messages before it when it comes %s', async (_, pieces) => {
    const recipient = `r${Math.random()}`;
    const raw = await RawSocket.open((await push.register(recipient)).connectionUri);
    for (const text of ['one', 'two']) await push.push(recipient, text);
    while ((await taken(raw, OP.ping)) !== '2');
    raw.socket.setNoDelay(true);
    for (const piece of pieces) {
      raw.send(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(async () => (await push.messages({ recipient, status: 'DELIVERED' })).items.length === 2);
    raw.socket.destroy();
  });

  it.each([
    ['is not masked', frame(OP.pong, '1', { masked: false })],
    ['has reserved bits', frame(OP.pong, '1', { rsv: 1 })],
    ['is fragmented', frame(OP.pong, '1', { fin: false })],
    ['is too long', frame(OP.pong, 'x'.repeat(126))],
  ])('that %s closes the connection with 1002, even behind valid ones', async (_, bad) => {
    const raw = await RawSocket.open((await push.register('ann')).connectionUri);
    raw.send(frame(OP.pong, '0'), frame(OP.pong, '0'), bad);
    expect(await raw.closeCode()).toBe(1002);
    raw.socket.destroy();
  });
});
