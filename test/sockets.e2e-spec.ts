// @nightly postgresql: no SQL of its own
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
// Past the API: a smaller limit of messages, tokens that expire in seconds, and the moment in which a server stops.
import { ConnectionLifecycle } from '../src/modules/websockets-manager/sockets/connection-lifecycle.js';
import { Connections } from '../src/modules/websockets-manager/sockets/connections.js';
import { OP, RawSocket, frame } from './support/raw-socket.js';
import { RecipientTokens } from '../src/modules/websockets-manager/recipients/recipient-tokens.js';
import { TestServer } from './support/server.js';
import { Client, inSeconds, Push, until } from './support/websockets.js';

let server: TestServer;
let push: Push;
let uri: string;

beforeAll(async () => {
  server = await TestServer.start({
    WEBSOCKET_MAX_CONNECTIONS: '60',
    WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: '3',
    TRUST_PROXY: '127.0.0.1,::1',
  });
});
beforeEach(async () => {
  push = new Push(await server.api('websockets-manager'));
  ({ connectionUri: uri } = await push.register('ann'));
});
afterAll(() => server.stop());

const close = (code: number, reason = ''): Buffer => {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return frame(OP.close, payload);
};
const valid = 'κόσμε 😀';
const invalid = Buffer.from([0xce, 0xba, 0xed, 0xa0, 0x80, 0x65]);

describe('a valid frame that has no meaning is ignored:', () => {
  it.each([
    ['a text of no length', [frame(OP.text)]],
    ['texts of every form of length', [125, 126, 127, 128, 4_096].map((length) => frame(OP.text, 'x'.repeat(length)))],
    ['a length in more bytes than it needs', [frame(OP.text, 'short', { lengthBytes: 8 })]],
    ['a binary message', [frame(OP.binary, Buffer.from([0, 255, 254]))]],
    ['valid UTF-8', [frame(OP.text, valid)]],
    [
      'fragments',
      [frame(OP.text, 'a', { fin: false }), frame(OP.continuation, 'b', { fin: false }), frame(OP.continuation, 'c')],
    ],
    ['fragments with a ping between', [frame(OP.text, 'a', { fin: false }), frame(OP.ping, 'p'), frame(OP.continuation, 'b')]],
    [
      'a character cut in two by fragments',
      [frame(OP.text, Buffer.from(valid).subarray(0, 1), { fin: false }), frame(OP.continuation, Buffer.from(valid).subarray(1))],
    ],
    [
      'fragments of no length',
      [frame(OP.text, '', { fin: false }), frame(OP.continuation, '', { fin: false }), frame(OP.continuation)],
    ],
    ['pongs that nobody asked for', [frame(OP.pong), frame(OP.pong, 'x'.repeat(125))]],
    ['pings of up to 125 bytes', [frame(OP.ping), frame(OP.ping, Buffer.alloc(125, 0xfe))]],
  ])('%s', async (_, frames) => {
    const raw = await RawSocket.open(uri);
    raw.send(...frames);
    expect(await raw.isAlive()).toBe(true);
    expect(raw.frames.filter(({ opcode }) => opcode === OP.text || opcode === OP.close)).toEqual([]);
    raw.socket.destroy();
  });

  it('one sent byte by byte', async () => {
    const raw = await RawSocket.open(uri);
    for (const byte of frame(OP.ping, valid)) raw.socket.write(Buffer.from([byte]));
    expect((await raw.take(OP.pong))!.payload.toString()).toBe(valid);
    raw.socket.destroy();
  });
});

describe('a protocol violation closes the connection:', () => {
  it.each<[string, number, Buffer[]]>([
    ['an unmasked frame', 1002, [frame(OP.text, 'x', { masked: false })]],
    ['reserved bit 1', 1002, [frame(OP.text, 'x', { rsv: 4 })]],
    ['reserved bits 2 and 3', 1002, [frame(OP.text, 'x', { rsv: 3 })]],
    ['reserved bits of a ping', 1002, [frame(OP.ping, 'x', { rsv: 1 })]],
    ['reserved data opcodes', 1002, [frame(3, 'x')]],
    ['reserved control opcodes', 1002, [frame(11, 'x')]],
    ['the last reserved opcode', 1002, [frame(15)]],
    ['a ping over 125 bytes', 1002, [frame(OP.ping, 'x'.repeat(126))]],
    ['a pong over 125 bytes', 1002, [frame(OP.pong, 'x'.repeat(126))]],
    ['a fragmented ping', 1002, [frame(OP.ping, 'x', { fin: false })]],
    ['a continuation of nothing', 1002, [frame(OP.continuation, 'x')]],
    ['an unfinished continuation of nothing', 1002, [frame(OP.continuation, 'x', { fin: false })]],
    ['a message inside of a fragmented one', 1002, [frame(OP.text, 'x', { fin: false }), frame(OP.text, 'y')]],
    ['invalid UTF-8', 1007, [frame(OP.text, invalid)]],
    [
      'invalid UTF-8 in fragments',
      1007,
      [frame(OP.text, invalid.subarray(0, 3), { fin: false }), frame(OP.continuation, invalid.subarray(3))],
    ],
    ['a message over 4 KiB', 1009, [frame(OP.text, 'x'.repeat(4_097))]],
    ['fragments over 4 KiB', 1009, [frame(OP.text, 'x'.repeat(4_000), { fin: false }), frame(OP.continuation, 'x'.repeat(97))]],
    ['a length of 2^62', 1009, [frame(OP.text, 'x', { length: 2 ** 62 })]],
    ['a length with its highest bit set', 1009, [frame(OP.text, 'x', { length: 2 ** 63 })]],
    ['a close of one byte', 1002, [frame(OP.close, 'x')]],
    ['a close over 125 bytes', 1002, [close(1000, 'x'.repeat(124))]],
    ['a close reason of invalid UTF-8', 1007, [frame(OP.close, Buffer.concat([Buffer.from([3, 232]), invalid]))]],
    ...[0, 999, 1004, 1005, 1006, 1016, 2999, 65_535].map(
      (code) => [`close code ${code}`, 1002, [close(code)]] as [string, number, Buffer[]],
    ),
  ])('%s: %i', async (_, code, frames) => {
    const raw = await RawSocket.open(uri);
    raw.send(...frames);
    expect(await raw.closeCode()).toBe(code);
    raw.socket.destroy();
    await until(async () => (await push.connections('ann')).length === 0);
  });

  it.each([1000, 1001, 1003, 1007, 1011, 3000, 4999])('close code %i is answered with itself', async (code) => {
    const raw = await RawSocket.open(uri);
    raw.send(close(code, 'bye'), frame(OP.text, 'after the close'));
    expect(await raw.closeCode()).toBe(code);
    await raw.ended;
  });

  it('a close without a code is answered', async () => {
    const raw = await RawSocket.open(uri);
    raw.send(frame(OP.close));
    expect(await raw.take(OP.close)).toBeDefined();
    await raw.ended;
  });

  it('more than 1 MiB a minute, in any frames, is 1008', async () => {
    const raw = await RawSocket.open(uri);
    const piece = Buffer.concat(Array.from({ length: 16 }, () => frame(OP.text, 'x'.repeat(4_000))));
    for (let sent = 0; sent < 20; sent++) raw.send(piece);
    expect(await raw.closeCode()).toBe(1008);
    raw.socket.destroy();
    const pings = await RawSocket.open(uri);
    const some = Buffer.concat(Array.from({ length: 50 }, () => frame(OP.ping, 'x'.repeat(125))));
    do pings.send(some);
    while (await pings.isAlive());
    expect(await pings.closeCode()).toBe(1008);
    pings.socket.destroy();
  });
});

describe('pongs', () => {
  it.each([
    ['with words of the peer', 'x'.repeat(125)],
    ['with numbers of pings that were never sent', '000000000000000'],
  ])('that answer no ping, %s, count as received data: over 1 MiB a minute is 1008', async (_, payload) => {
    const raw = await RawSocket.open(uri);
    const some = Buffer.concat(Array.from({ length: 500 }, () => frame(OP.pong, payload)));
    do raw.send(some);
    while (await raw.isAlive());
    expect(await raw.closeCode()).toBe(1008);
    raw.socket.destroy();
  });

  it('in endless empty fragments count: 1008', async () => {
    const raw = await RawSocket.open(uri);
    raw.send(frame(OP.text, '', { fin: false }));
    const some = Buffer.concat(Array.from({ length: 2_000 }, () => frame(OP.continuation, '', { fin: false })));
    do raw.send(some);
    while (await raw.isAlive());
    expect(await raw.closeCode()).toBe(1008);
    raw.socket.destroy();
  });

  it('that answer pings of the server do not count, however much is pushed', async () => {
    const busy = await TestServer.start();
    busy.app.get(ConnectionLifecycle, { strict: false }).maxInboundPerMinute = 500;
    const one = new Push(await busy.api('websockets-manager'));
    const raw = await RawSocket.open((await one.register('ann')).connectionUri);
    raw.send(frame(OP.text, 'the minute begins'));
    let pongBytes = 0;
    for (let count = 0; count < 150; count++) {
      await one.push('ann', 'x');
      const pong = frame(OP.pong, (await raw.take(OP.ping))!.payload);
      pongBytes += pong.length;
      raw.send(pong);
    }
    expect(pongBytes).toBeGreaterThan(2 * 500);
    expect(await raw.isAlive()).toBe(true);
    raw.send(...Array.from({ length: 5 }, () => frame(OP.pong, 'x'.repeat(125))));
    expect(await raw.closeCode()).toBe(1008);
    raw.socket.destroy();
    await busy.stop();
  });
});

describe('an upgrade', () => {
  it('without the headers that a proxy dropped is answered with 426 and their names, without the token', async () => {
    const { token } = await push.register('ann');
    const missing = await fetch(`${server.address}/?token=${token.value}`);
    expect([missing.status, missing.headers.get('upgrade'), missing.headers.get('connection')]).toEqual([
      426,
      'websocket',
      'Upgrade',
    ]);
    const body = await missing.text();
    expect(JSON.parse(body)).toEqual({ code: 'BAD_REQUEST', message: expect.stringContaining('Upgrade: websocket') });
    expect(body).not.toContain(token.value);
    expect((await fetch(`${server.address}/`)).status).toBe(404);
    expect((await fetch(`${server.address}/?token=${token.value}`, { method: 'POST' })).status).toBe(404);
  });

  it('that is refused ends its connection, whatever the client does', async () => {
    const { port } = new URL(server.address);
    const socket = connect({ port: Number(port), host: 'localhost', allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.write('GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    let answer = '';
    socket.on('data', (bytes) => (answer += String(bytes)));
    await until(() => /^HTTP\/1.1 404 [^]*\{"code":"NOT_FOUND","message":/.test(answer));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const drops = setInterval(() => socket.write('x'), 50);
    await closed;
    clearInterval(drops);
  });

  it('for another path, or not by RFC 6455, is refused and leaves nothing behind', async () => {
    const http = uri.replace(/^ws/, 'http');
    expect(await RawSocket.answer(http.replace('/?', '/other?'))).toMatch(/^HTTP\/1.1 404 /);
    for (const [headers, head] of [
      [{ 'Sec-WebSocket-Key': 'short' }, /^HTTP\/1.1 400 /],
      [{ 'Sec-WebSocket-Version': '7' }, /^HTTP\/1.1 426 [^]*\r\nsec-websocket-version: 13\r\n/i],
    ] as const) {
      const answer = await RawSocket.answer(http, headers);
      expect(answer).toMatch(head);
      expect(answer).toMatch(/\r\ncontent-type: application\/json/i);
    }
    const { hostname, port, pathname, search, host } = new URL(http);
    const socket = connect(Number(port), hostname);
    socket.write(`OPTIONS ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 405 [^]*\r\nallow: GET\r\n[^]*\{"code":"BAD_REQUEST","message":/i);
    socket.destroy();
    await until(async () => (await push.connections('ann')).length === 0);
  });

  it('to another protocol is ignored and the request served, so clients that offer HTTP/2 work', async () => {
    const body = JSON.stringify({ query: '{version}' });
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
      'content-type': 'application/json',
      'x-api-key': push.api.key!,
    };
    const answered = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(`${server.address}/websockets-manager/graphql`, { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve(`${response.statusCode} ${text}`));
      });
      request.on('error', reject).end(body);
    });
    expect(answered).toMatch(/^200 \{"data":\{"version":/);
  });

  it.each([
    ['none', () => ''],
    ['nonsense', () => 'x.y.z'],
    [
      'a changed one',
      (token: string) =>
        token.replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"bob","ten":"t","iat":1,"exp":9999999999}').toString('base64url')}.`),
    ],
    [
      'one that says it needs no signature',
      (token: string) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`,
    ],
    ['one without its signature', (token: string) => token.slice(0, token.lastIndexOf('.') + 1)],
  ])('with a bad token, %s, is accepted and closed with 4401, so a browser can tell', async (_, change) => {
    const { token, connectionUri } = await push.register('ann');
    const client = await Client.open(connectionUri.replace(token.value, change(token.value)));
    expect(await client.closed).toEqual({ code: 4401, reason: 'bad or expired token' });
    expect(await push.connections('ann')).toEqual([]);
  });

  it('with the token of a deployment with another SECRET_KEY is closed with 4401', async () => {
    const other = await TestServer.start();
    const { connectionUri } = await new Push(await other.api('websockets-manager')).register('ann');
    const client = await Client.open(connectionUri.replace(/:\d+\//, `:${new URL(server.address).port}/`));
    expect((await client.closed).code).toBe(4401);
    await other.stop();
  });

  it('from another address or origin than the token names is refused with 403', async () => {
    const forwarded = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const at = async (given: object) => (await push.register('ann', given)).connectionUri;
    expect(await Client.refusal(await at({ sourceIp: '203.0.113.7' }))).toBe(403);
    expect(await Client.refusal(await at({ sourceIp: '203.0.113.7' }), forwarded('203.0.113.8'))).toBe(403);
    expect(await Client.refusal(await at({ sourceIp: '203.0.113.7' }), forwarded('203.0.113.7, 203.0.113.8'))).toBe(403);
    await (await Client.open(await at({ sourceIp: '203.0.113.7' }), forwarded('9.9.9.9, 203.0.113.7'))).close();
    await (await Client.open(await at({ sourceIp: '::ffff:203.0.113.7' }), forwarded('203.0.113.7'))).close();
    await (await Client.open(await at({ sourceIp: '2001:DB8::0:1' }), forwarded('2001:db8::1'))).close();
    const origin = 'https://app.example.org';
    expect(await Client.refusal(await at({ origin }))).toBe(403);
    expect(await Client.refusal(await at({ origin }), { origin: 'https://app.example.org.evil.net' })).toBe(403);
    expect(await Client.refusal(await at({ origin }), { origin: 'http://app.example.org' })).toBe(403);
    await (await Client.open(await at({ origin }), { origin })).close();
    await (await Client.open(await at({ origin: 'HTTPS://App.example.org:443' }), { origin })).close();
  });

  it('over the limit of its tenant is refused with 503, and other tenants are not', async () => {
    const clients = [await push.connect('a'), await push.connect('b'), await push.connect('c')];
    expect(await Client.refusal(uri)).toBe(503);
    const other = await new Push(await server.api('websockets-manager')).connect('ann');
    await clients[0]!.close();
    await until(() => Client.open(uri).catch(() => undefined));
    for (const client of [...clients, other]) client.socket.terminate();
  });

  it('over the limit of its tenant is refused also among ten that arrive at once', async () => {
    const own = new Push(await server.api('websockets-manager'));
    const { connectionUri } = await own.register('ann');
    const tried = await Promise.allSettled(Array.from({ length: 10 }, () => Client.open(connectionUri)));
    const opened = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(opened).toHaveLength(3);
    for (const client of opened) client.socket.terminate();
  });

  it('over the limit of the node is refused with 503 before anything else', async () => {
    const small = await TestServer.start({ WEBSOCKET_MAX_CONNECTIONS: '1' });
    const one = new Push(await small.api('websockets-manager'));
    await one.connect('ann');
    expect(await Client.refusal((await one.register('ann')).connectionUri)).toBe(503);
    expect(await Client.refusal(`${small.address}/?token=bad`)).toBe(503);
    await small.stop();
  });

  it('ignores X-Forwarded-For unless TRUST_PROXY names the peer', async () => {
    const direct = await TestServer.start();
    const one = new Push(await direct.api('websockets-manager'));
    const { connectionUri } = await one.register('ann', { sourceIp: '203.0.113.7' });
    expect(await Client.refusal(connectionUri, { headers: { 'x-forwarded-for': '203.0.113.7' } })).toBe(403);
    await direct.stop();
  });
});

describe('a connection', () => {
  it('that misses two heartbeats is closed with 4408, and one that pongs stays open', async () => {
    const restless = await TestServer.start({ WEBSOCKET_HEARTBEAT_SECONDS: '1' });
    const one = new Push(await restless.api('websockets-manager'));
    const [gone, there] = [await one.connect('ann', {}, { autoPong: false }), await one.connect('ann')];
    expect(await gone.closed).toEqual({ code: 4408, reason: 'heartbeat lost' });
    await until(async () => (await one.connections('ann')).length === 1);
    await one.push('ann', 'still there');
    await there.received(1);
    await restless.stop();
  });

  it('that reads too slowly is closed with 4413, and messages that can wait are queued', async () => {
    const slow = await RawSocket.open(uri);
    slow.socket.pause();
    const ids: string[] = [];
    const text = 'x'.repeat(65_000);
    await until(async () => {
      for (let count = 0; count < 10; count++) ids.push((await push.push('ann', text, { expiresAt: inSeconds(600) })).item.id);
      return (await push.connections('ann')).length === 0 || ids.length > 500;
    });
    slow.socket.resume();
    expect(await slow.closeCode()).toBe(4413);
    slow.socket.destroy();
    const ann = await push.connect('ann');
    await ann.received(ids.length);
    expect(ann.frames.map(({ id }) => id)).toEqual(ids);
    await until(async () => (await push.messages({ status: 'PENDING' })).items.length === 0);
    ann.socket.terminate();
  });

  it('receives a backlog in windows of 256 KiB, each after the previous one was confirmed', async () => {
    for (let count = 0; count < 10; count++) await push.push('ann', 'x'.repeat(60_000), { expiresAt: inSeconds(600) });
    const careful = await push.connect('ann', {}, { autoPong: false });
    await careful.received(4);
    const prober = await push.connect('bob');
    await push.push('bob', 'hello');
    await prober.received(1);
    expect(careful.frames).toHaveLength(4);
    careful.socket.on('ping', (payload) => careful.socket.pong(payload));
    careful.socket.pong('4');
    await careful.received(10);
    for (const client of [careful, prober]) client.socket.terminate();
  });

  it('is closed with 1001 when the server stops, after its confirmations were recorded', async () => {
    const stopping = await TestServer.start();
    const one = new Push(await stopping.api('websockets-manager'));
    const ann = await one.connect('ann');
    await one.push('ann', 'last');
    await ann.received(1);
    const stopped = stopping.app.close();
    expect(await ann.closed).toMatchObject({ code: 1001 });
    await stopped;
    await stopping.stop();
  });

  it('is closed by a stopping server in portions, so that hundreds of clients do not return at once', async () => {
    const stopping = await TestServer.start();
    const one = new Push(await stopping.api('websockets-manager'));
    const clients = await one.connectAll(Array.from({ length: 300 }, (_, number) => [`ann-${number}`, {}]));
    const open = stopping.app.get(Connections, { strict: false });
    const stopped = stopping.app.get(ConnectionLifecycle, { strict: false }).stop();
    expect([clients.length, open.count]).toEqual([300, 250]);
    for (const { closed } of clients) expect(await closed).toMatchObject({ code: 1001 });
    await stopped;
    await stopping.stop();
  });

  it('with closeOnExpiry is closed with 4401 when its token expires; others stay open', async () => {
    const { token } = await push.register('ann');
    const { ten } = JSON.parse(Buffer.from(token.value.split('.')[1], 'base64url').toString()) as { ten: string };
    const connect = async (recipient: string, closeOnExpiry: boolean) => {
      const content = {
        tenantId: ten,
        recipient,
        topic: null,
        sourceIp: null,
        origin: null,
        closeOnExpiry,
        acknowledge: false,
      };
      const { value } = await server.app.get(RecipientTokens).issue(content, 2);
      return Client.open(`${server.address}/?token=${value}`);
    };
    const [ends, stays] = [await connect('ann', true), await connect('bob', false)];
    expect(await ends.closed).toEqual({ code: 4401, reason: 'bad or expired token' });
    expect(stays.socket.readyState).toBe(stays.socket.OPEN);
    stays.socket.terminate();
  });

  it('leaves no token in the log', async () => {
    const { token, connectionUri } = await push.register('ann');
    await (await Client.open(connectionUri)).close();
    expect(server.logLines.join('')).not.toContain(token.value.split('.')[2]);
  });
});
