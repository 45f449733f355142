// @nightly postgresql: no SQL of its own
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket as NodeWebSocket } from 'ws';
import { connect, type ConnectOptions, type Connection, type State } from '../clients/js/dist/index.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push, until } from './support/websockets.js';

const WebSocket = NodeWebSocket as unknown as ConnectOptions['WebSocket'];

/** A proxy that forwards requests, and refuses upgrades. Returns its port. */
async function blockingProxy(target: string): Promise<[Server, number]> {
  const proxy = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    const forwarded = request(target + url, { method, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  proxy.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
  );
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return [proxy, (proxy.address() as AddressInfo).port];
}

describe('a connection of the JavaScript client through a proxy that refuses WebSockets', () => {
  let server: TestServer;
  let proxy: Server;
  let port: number;
  let push: Push;
  const connections: Connection[] = [];
  beforeAll(async () => {
    server = await TestServer.start();
    push = new Push(await server.api('websockets-manager'));
    const { eventsUri } = await push.register('ann');
    [proxy, port] = await blockingProxy(new URL(eventsUri).origin);
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    proxy.close();
    proxy.closeAllConnections();
    await server.stop();
  });

  function connected(recipient: string, options: Partial<ConnectOptions> = {}, spoil = (uri: string) => uri) {
    const [texts, states]: [string[], State[]] = [[], []];
    let asked = 0;
    const address = async () => {
      const { connectionUri } = await push.register(recipient, { acknowledge: options.acknowledge ?? false });
      asked++;
      return spoil(connectionUri.replace(/:\d+\//, `:${port}/`));
    };
    const onMessage = ({ message }: { message: string }) => void texts.push(message);
    const connection = connect(address, { WebSocket, onMessage, onState: (state) => states.push(state), ...options });
    connections.push(connection);
    return { texts, states, connection, asked: () => asked };
  }
  const isOpen = ({ states }: { states: State[] }) => until(() => states.some(({ name }) => name === 'open'));

  it('falls back to an event stream, says so, and acknowledges what it receives', async () => {
    const ann = connected('ann');
    await isOpen(ann);
    expect(ann.connection.state).toEqual({ name: 'open', transport: 'events' });
    for (const text of ['one', 'two', 'three']) await push.push('ann', text);
    await push.manySettled('ann', 3, 'DELIVERED');
    expect(ann.texts).toEqual(['one', 'two', 'three']);
    ann.connection.close();
  });

  it('acknowledges in batches what onMessage has handled, and gets the rest again once', async () => {
    let fails = true;
    const texts: string[] = [];
    const bob = connected('bob', {
      acknowledge: true,
      onMessage: ({ message }) => {
        if (message === '150' && fails) {
          fails = false;
          throw new Error('not now');
        }
        texts.push(message);
      },
    });
    await isOpen(bob);
    const expected = Array.from({ length: 300 }, (_, index) => String(index));
    for (const text of expected) await push.push('bob', text, { expiresAt: inSeconds(600) });
    await push.manySettled('bob', 300, 'DELIVERED');
    expect(texts).toEqual(expected);
    expect(bob.states).toContainEqual(expect.objectContaining({ name: 'waiting', reason: expect.stringContaining('not now') }));
    bob.connection.close();
  });

  it('is closed for good when the application disconnects it', async () => {
    const cleo = connected('cleo');
    await isOpen(cleo);
    await push.disconnect('cleo');
    await until(() => cleo.connection.state.name === 'closed');
    expect(cleo.connection.state).toMatchObject({ code: 4403 });
  });

  it('asks for a new URL when its token is not accepted', async () => {
    let spoilt = 0;
    const dan = connected('dan', {}, (uri) => (spoilt++ < 2 ? uri.replace(/=.*/, '=bad') : uri));
    await isOpen(dan);
    expect(dan.asked()).toBe(3);
    expect(dan.states).toContainEqual(expect.objectContaining({ name: 'waiting', code: 4401 }));
  });
});
