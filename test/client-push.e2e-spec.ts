// @nightly postgresql: no SQL of its own
import { WebSocket as NodeWebSocket } from 'ws';
import { connect, type ConnectOptions, type Connection, type Message, type State } from '../clients/js/dist/index.js';
import { ClientAndServer } from './support/client.js';
import { Deployment, freePort } from './support/process.js';
import { createClient } from '../clients/js/dist/index.js';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { inSeconds, until } from './support/websockets.js';

const WebSocket = NodeWebSocket as unknown as ConnectOptions['WebSocket'];

/** A recipient of an application, and what it received. */
class Recipient {
  readonly texts: string[] = [];
  readonly states: State[] = [];
  asked = 0;
  readonly connection: Connection;

  constructor(address: () => Promise<string>, options: Partial<ConnectOptions> = {}) {
    const onMessage = ({ message }: Message) => this.texts.push(message);
    const onState = (state: State) => this.states.push(state);
    this.connection = connect(() => ((this.asked += 1), address()), { WebSocket, onMessage, onState, ...options });
  }

  opened = (times = 1) => until(() => this.states.filter(({ name }) => name === 'open').length >= times);
  has = (...texts: string[]) => until(() => texts.every((text) => this.texts.includes(text)));
  is = (name: State['name']) => until(() => this.connection.state.name === name);
}

describe('a connection of the JavaScript client', () => {
  let both: ClientAndServer;
  const recipients: Recipient[] = [];
  beforeAll(async () => void (both = await ClientAndServer.start()));
  afterEach(() => {
    both.proxy.pass();
    for (const { connection } of recipients.splice(0)) connection.close();
  });
  afterAll(() => both.stop());

  const register = async (recipient: string, rest: object = {}) =>
    (await both.client.push.registerRecipient({ input: { recipient, ...rest } })).connectionUri;
  const push = (recipient: string, message: string) =>
    both.client.push.pushMessage({ input: { recipients: [recipient], message, expiresAt: inSeconds(600) } });
  const statusOf = async (id: string | undefined) =>
    (await both.client.push.messages({ filter: {} })).items.find((item) => item.id === id)?.status;
  function recipient(name: string, options: Partial<ConnectOptions> = {}, rest: object = {}) {
    const made = new Recipient(() => register(name, rest), options);
    recipients.push(made);
    return made;
  }

  it('marks messages in an inbox, those marked while it is cut once it is open again, and is told the unread number', async () => {
    const unread: number[] = [];
    const ids: string[] = [];
    for (const message of ['one', 'two']) {
      ids.push((await both.client.push.pushMessage({ input: { recipients: ['ivy'], message, inbox: true } })).item!.id);
    }
    const ivy = recipient('ivy', { onUnread: (count) => unread.push(count) }, { inbox: true });
    ivy.connection.mark(ids[0]!, 'read');
    await until(() => unread.at(-1) === 1);
    await ivy.has('one', 'two');
    await both.proxy.close();
    await ivy.is('waiting');
    ivy.connection.mark(ids[1]!, 'archived');
    ivy.connection.mark(ids[0]!, 'unread');
    await both.proxy.open();
    await until(async () => {
      const { items } = await both.client.push.inbox({ recipient: 'ivy' });
      return items.length === 1 && items[0]!.id === ids[0] && items[0]!.readAt === null;
    });
    await until(() => unread.at(-1) === 1);
  });

  it('receives pushes, reconnects to the same URL after a cut, and receives each missed message once', async () => {
    const ann = recipient('ann');
    await ann.opened();
    await push('ann', 'one');
    await ann.has('one');
    await both.proxy.close();
    await ann.is('waiting');
    await both.proxy.open();
    await push('ann', 'two');
    await ann.has('one', 'two');
    expect(ann.texts).toEqual(['one', 'two']);
    expect(ann.states.map(({ name }) => name).slice(0, 3)).toEqual(['connecting', 'open', 'waiting']);
    expect(ann.states[2]).toMatchObject({ reason: 'the connection broke', code: 1006, retryInMs: expect.any(Number) });
  });

  it('requests a new URL when its token has expired, and continues', async () => {
    let isFirst = true;
    const bob = new Recipient(async () => {
      const good = await register('bob');
      const uri = isFirst ? good.replace(/=.*/, '=bad') : good;
      isFirst = false;
      return uri;
    });
    recipients.push(bob);
    await until(() => bob.asked === 2);
    await bob.opened();
    expect(bob.states).toContainEqual(
      expect.objectContaining({ name: 'waiting', code: 4401, reason: expect.stringContaining('token') }),
    );
    await push('bob', 'hello');
    await bob.has('hello');
  });

  it('retries when the application could not provide a URL', async () => {
    let failures = 2;
    const carl = new Recipient(() => (failures-- > 0 ? Promise.reject(new Error('no session')) : register('carl')));
    recipients.push(carl);
    await carl.opened();
    expect(carl.asked).toBe(3);
    expect(carl.states).toContainEqual(expect.objectContaining({ name: 'waiting', reason: 'no address: no session' }));
  });

  it('ends with the reason when the application disconnects it', async () => {
    const dora = recipient('dora');
    await dora.opened();
    await both.client.push.disconnectRecipient({ recipient: 'dora' });
    await dora.is('closed');
    expect(dora.connection.state).toMatchObject({ code: 4403, reason: expect.stringContaining('application disconnected') });
    expect(dora.asked).toBe(1);
  });

  it('drops duplicates, and remembers at most its limit of ids', async () => {
    const seen: string[] = [];
    const frames = (id: string) => JSON.stringify({ id, message: id });
    class Repeating {
      readyState = 1;
      constructor() {
        queueMicrotask(() => {
          this.hear['open']!({ data: '' });
          for (const id of ['a', 'b', 'a', 'c', 'd', 'a', 'd']) this.hear['message']!({ data: frames(id) });
        });
      }
      hear: Record<string, (event: { data: string }) => void> = {};
      addEventListener = (name: string, hear: (event: { data: string }) => void) => void (this.hear[name] = hear);
      close = () => undefined;
      send = () => undefined;
    }
    const options = { WebSocket: Repeating as never, remember: 2, onMessage: ({ id }: Message) => seen.push(id) };
    const connection = connect(() => 'ws://localhost', options);
    await until(() => connection.state.name === 'open' && seen.length > 4);
    connection.close();
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'a']); // of a it knew nothing any more, of the last d it did
  });

  it('reconnects at once when a WebSocket reports an error without a close, like that of Node 22', async () => {
    let attempts = 0;
    class Silent {
      readyState = 0;
      constructor() {
        attempts += 1;
        queueMicrotask(() => this.fail());
      }
      fail: () => void = () => undefined;
      addEventListener = (name: string, hear: () => void) => void (name === 'error' && (this.fail = hear));
      close = () => undefined;
    }
    const states: State[] = [];
    const onState = (state: State) => states.push(state);
    const connection = connect(() => 'ws://localhost', { WebSocket: Silent as never, onMessage: () => undefined, onState });
    await until(() => attempts > 1);
    connection.close();
    expect(states[1]).toMatchObject({ name: 'waiting', reason: 'it could not be opened' });
  });

  it('acknowledges handled messages in order, and receives the others again', async () => {
    let isFailing = true;
    let free: () => void = () => undefined;
    const handled: string[] = [];
    const onMessage = async ({ message }: Message) => {
      if (message === 'slow') await new Promise<void>((resolve) => (free = resolve));
      if (message === 'bad' && isFailing) {
        isFailing = false;
        throw new Error('not now');
      }
      handled.push(message);
    };
    const eve = recipient('eve', { acknowledge: true, onMessage }, { acknowledge: true });
    await eve.opened();
    const first = (await push('eve', 'slow')).item!.id;
    const second = (await push('eve', 'next')).item!.id;
    await until(() => both.client.push.messages({ filter: { recipient: 'eve' } }).then(({ items }) => items.length === 2));
    expect(await statusOf(first)).toBe('PENDING');
    free();
    await until(async () => (await statusOf(second)) === 'DELIVERED');
    expect(await statusOf(first)).toBe('DELIVERED');
    const bad = (await push('eve', 'bad')).item!.id;
    await until(async () => (await statusOf(bad)) === 'DELIVERED');
    expect(handled).toEqual(['slow', 'next', 'bad']);
    expect(eve.states).toContainEqual(expect.objectContaining({ name: 'waiting', reason: 'onMessage failed: not now' }));
  });
});

it('a connection of the JavaScript client survives a kill and restart of the server', async () => {
  const deployment = await Deployment.create({ PORT: String(await freePort()), LOG_LEVEL: 'info' });
  const server = deployment.start();
  const url = await server.ready();
  const key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
  const client = createClient({ url, key });
  const ann = new Recipient(async () => (await client.push.registerRecipient({ input: { recipient: 'ann' } })).connectionUri);
  await ann.opened();
  await server.stop('SIGKILL');
  await ann.is('waiting');
  await deployment.releaseLeases();
  await deployment.start().ready();
  await client.push.pushMessage({ input: { recipients: ['ann'], message: 'back', expiresAt: inSeconds(600) } });
  await ann.has('back');
  ann.connection.close();
  expect(ann.connection.state).toEqual({ name: 'closed', reason: 'close() was called' });
  await deployment.remove();
});
