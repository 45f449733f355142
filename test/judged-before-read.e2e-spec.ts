// @nightly postgresql: no SQL of its own
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RequestGate } from '../src/common/http/request-gate.js';
import type { Api } from './support/api.js';
import { RawHttp } from './support/raw-http.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const MIB = 1024 * 1024;

let server: TestServer;
let api: Api;
let key: string;
beforeAll(async () => {
  server = await TestServer.start({ MAX_UPLOAD_BYTES: String(16 * MIB) });
  key = await server.createKey();
  api = await server.api('file-management', key);
});
afterAll(() => server.stop());

const ask = (...lines: string[]) => RawHttp.answer(server.address, ...lines);
const graphql = (...headers: string[]) => ['POST /email/graphql HTTP/1.1', 'Host: x', ...headers];
const json = (...headers: string[]) => graphql(`x-api-key: ${key}`, 'Content-Type: application/json', ...headers);
const codeOf = ({ body }: { body: string }) => {
  const parsed = JSON.parse(body) as { code?: string; message?: string; errors?: { extensions: { code: string } }[] };
  return parsed.errors?.[0]?.extensions.code ?? parsed.code;
};
const uploadPath = async () => {
  const { uploadUrl } = (await api.ask('mutation{createFile(input:{contentType:"text/plain"}){uploadUrl}}')).createFile;
  const { pathname, search } = new URL(uploadUrl);
  return pathname + search;
};

describe('a request refused by its headers', () => {
  it.each([
    ['of an unknown path', ['POST /nothing HTTP/1.1', 'Host: x'], 404, 'NOT_FOUND'],
    ['of a method that the path does not have', ['PUT /health/live HTTP/1.1', 'Host: x'], 405, 'BAD_REQUEST'],
    ['without a key', graphql('Content-Type: application/json'), 401, 'UNAUTHENTICATED'],
    ['without a signature', ['PUT /file-management/files/x HTTP/1.1', 'Host: x'], 403, 'FORBIDDEN'],
  ])('%s is answered, and its body is neither stored nor awaited', async (_, lines, status, code) => {
    const raw = await RawHttp.open(server.address);
    raw.send(...lines, `Content-Length: ${15 * MIB}`);
    const answer = await raw.answer();
    expect([answer.status, codeOf(answer), answer.headers.connection]).toEqual([status, code, 'close']);
    raw.socket.destroy();
  });

  it('delivers its answer to a client that reads only after sending the whole body', async () => {
    const raw = await RawHttp.open(server.address);
    raw.socket.pause();
    raw.send('POST /nothing HTTP/1.1', 'Host: x', `Content-Length: ${8 * MIB}`);
    await new Promise<void>((resolve) => raw.socket.write(Buffer.alloc(8 * MIB), () => resolve()));
    raw.socket.resume();
    expect(await raw.answer()).toMatchObject({ status: 404 });
    raw.socket.end();
    await raw.closed;
  });

  it('ends its connection even if the client keeps sending', async () => {
    const raw = await RawHttp.open(server.address);
    raw.send('POST /nothing HTTP/1.1', 'Host: x', `Content-Length: ${1024 * MIB}`);
    expect(await raw.answer()).toMatchObject({ status: 404 });
    expect(await raw.flood(Buffer.alloc(64 * 1024))).toBeLessThan(64 * MIB);
    await raw.closed;
  });

  it('is the last of its connection: nothing after its body is served', async () => {
    const raw = await RawHttp.open(server.address);
    raw.send('POST /nothing HTTP/1.1', 'Host: x', 'Content-Length: 10');
    expect(await raw.answer()).toMatchObject({ status: 404 });
    raw.socket.write('0123456789');
    raw.send('GET /health/live HTTP/1.1', 'Host: x');
    raw.socket.end();
    await raw.closed;
    expect(raw.text).toBe('');
  });

  it('reserves no memory for bodies that arrive concurrently', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    // Received pieces that were dropped count until they are collected, which a busy machine puts off.
    const inUse = () => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const received: Socket[] = [];
    server.app.getHttpServer().on('connection', (socket: Socket) => received.push(socket));
    const piece = Buffer.alloc(2 * MIB);
    const before = inUse();
    const open = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const raw = await RawHttp.open(server.address);
        raw.send('POST /nothing HTTP/1.1', 'Host: x', `Content-Length: ${15 * MIB}`);
        raw.socket.write(piece);
        expect(await raw.answer()).toMatchObject({ status: 404 });
        return raw;
      }),
    );
    await until(() => received.filter(({ bytesRead }) => bytesRead > piece.length).length === open.length);
    // The last pieces may still be on their way out.
    await until(() => inUse() - before < 10 * MIB);
    for (const { socket } of open) socket.destroy();
  });
});

describe('a GraphQL body', () => {
  it.each([
    ['of another type', 415, 'BAD_REQUEST', ['Content-Type: text/plain', 'Content-Length: 20']],
    ['of a form', 415, 'BAD_REQUEST', ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 20']],
    ['of no type', 415, 'BAD_REQUEST', ['Content-Length: 20']],
    ['in another charset', 415, 'BAD_REQUEST', ['Content-Type: application/json; charset=utf-16', 'Content-Length: 20']],
    ['compressed', 415, 'BAD_REQUEST', ['Content-Type: application/json', 'Content-Encoding: gzip', 'Content-Length: 20']],
    ['over 16 MiB', 413, 'PAYLOAD_TOO_LARGE', ['Content-Type: application/json', `Content-Length: ${16 * MIB + 1}`]],
  ])('%s is refused before it is read', async (_, status, code, headers) => {
    const answer = await ask(...graphql(`x-api-key: ${key}`, ...headers));
    expect([answer.status, codeOf(answer), answer.headers.connection]).toEqual([status, code, 'close']);
  });

  it('of JSON is accepted, with its charset named and in chunks', async () => {
    const raw = await RawHttp.open(server.address);
    raw.send(...graphql(`x-api-key: ${key}`, 'Content-Type: application/json; charset="UTF-8"', 'Transfer-Encoding: chunked'));
    raw.socket.write('14\r\n{"query":"{version}"\r\n');
    raw.socket.write('1\r\n}\r\n0\r\n\r\n');
    expect(await raw.answer()).toMatchObject({ status: 200, body: expect.stringContaining('version') });
    raw.socket.destroy();
  });

  it('in chunks ends at 16 MiB', async () => {
    const raw = await RawHttp.open(server.address);
    raw.send(...json('Transfer-Encoding: chunked'));
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 32), Buffer.from('\r\n')]);
    for (let count = 0; count < 17; count++) raw.socket.write(chunk);
    const answer = await raw.answer();
    expect([answer.status, codeOf(answer), answer.headers.connection]).toEqual([413, 'PAYLOAD_TOO_LARGE', 'close']);
    raw.socket.destroy();
  });
});

describe('a request that arrives slowly', () => {
  it('is stopped when the time for its JSON body is up, however steadily it arrives', async () => {
    const gate = server.app.get(RequestGate);
    const usual = gate.bodyTimeoutMs;
    expect(usual).toBe(30_000);
    gate.bodyTimeoutMs = 300;
    const raw = await RawHttp.open(server.address);
    raw.send(...json('Content-Length: 1000000'));
    const drops = setInterval(() => raw.socket.write(' '), 20);
    const answer = await raw.answer();
    expect([answer.status, codeOf(answer), answer.headers.connection]).toEqual([408, 'BAD_REQUEST', 'close']);
    await raw.closed;
    clearInterval(drops);
    gate.bodyTimeoutMs = usual;
  });

  it('is stopped when the time for its headers is up, and a connection that sent nothing is closed without an answer', async () => {
    const http = server.app.getHttpServer() as { headersTimeout: number };
    expect(http.headersTimeout).toBe(30_000);
    const [slow, silent] = [await RawHttp.open(server.address), await RawHttp.open(server.address)];
    slow.socket.write('GET /health/live HTTP/1.1\r\n');
    const drops = setInterval(() => slow.socket.write('X-A: b\r\n'), 50);
    http.headersTimeout = 300;
    const answer = await slow.answer();
    expect([answer.status, codeOf(answer), answer.headers.connection]).toEqual([408, 'BAD_REQUEST', 'close']);
    await slow.closed;
    silent.socket.end();
    await silent.closed;
    expect(silent.text).toBe('');
    clearInterval(drops);
    http.headersTimeout = 30_000;
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (...lines: string[]) => ask(...lines, 'Expect: 100-continue');

  it('is answered with the refusal, and no body is requested, when the headers suffice to refuse', async () => {
    const path = await uploadPath();
    const put = (target: string, ...headers: string[]) => expecting(`PUT ${target} HTTP/1.1`, 'Host: x', ...headers);
    const fiveGb = 'Content-Length: 5000000000';
    expect(await put(path.replace(/.{5}$/, 'xxxxx'), fiveGb)).toMatchObject({ status: 403 });
    expect(await put(path, fiveGb)).toMatchObject({ status: 413 });
    expect(await put(path, 'Content-Length: 5', 'Content-Type: image/png')).toMatchObject({ status: 415 });
    expect(await put(path, 'Transfer-Encoding: chunked')).toMatchObject({ status: 411 });
    expect(await expecting('POST /nothing HTTP/1.1', 'Host: x', fiveGb)).toMatchObject({ status: 404 });
    expect(await expecting(...graphql(fiveGb))).toMatchObject({ status: 401 });
    expect(await expecting(...json(fiveGb))).toMatchObject({ status: 413 });
    expect(await expecting(...json('Content-Length: 5', 'Content-Encoding: br'))).toMatchObject({ status: 415 });
  });

  it('requests the body of an accepted upload or operation', async () => {
    for (const [head, body] of [
      [[`PUT ${await uploadPath()} HTTP/1.1`, 'Host: x', 'Content-Length: 5'], '12345'],
      [json('Content-Length: 21'), '{"query":"{version}"}'],
    ] as [string[], string][]) {
      const raw = await RawHttp.open(server.address);
      raw.send(...head, 'Expect: 100-continue');
      expect(await raw.answer()).toMatchObject({ status: 100 });
      raw.socket.write(body);
      expect(await raw.answer()).toMatchObject({ status: 200 });
      raw.socket.destroy();
    }
  });

  it('is not used with HTTP/1.0, and any other expectation is refused', async () => {
    const answer = await ask('GET /health/live HTTP/1.1', 'Host: x', 'Expect: miracles');
    expect([answer.status, codeOf(answer)]).toEqual([417, 'BAD_REQUEST']);
    const old = await ask('GET /health/live HTTP/1.0', 'Host: x', 'Expect: miracles');
    expect(old.status).toBe(200);
  });
});

describe('a request refused by the HTTP parser or the router has the usual error format', () => {
  it.each([
    ['a head over 16 KiB', 431, `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['an address over 16 KiB', 431, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['control characters in a header', 400, 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\u0001b\r\n\r\n'],
    ['no HTTP at all', 400, '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'],
    ['a length that is no number', 400, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['two ways to tell a length', 400, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['no Host', 400, 'GET /health/live HTTP/1.1\r\n\r\n'],
    ['a broken escape in the path', 400, 'GET /file-management/files/%ff HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a part of the path over 200 characters', 414, `GET /file-management/files/${'a'.repeat(201)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('%s: %i', async (_, status, bytes) => {
    const raw = await RawHttp.open(server.address);
    raw.socket.write(bytes, 'latin1');
    const answer = await raw.answer();
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.body)).toEqual({ code: 'BAD_REQUEST', message: expect.stringMatching(/^[A-Z]/) });
    expect(answer.body).not.toMatch(/HPE_|FST_|node_modules|Error/);
    raw.socket.end();
    await raw.closed;
  });

  it('a broken chunk ends the operation that it belongs to', async () => {
    const raw = await RawHttp.open(server.address);
    raw.send(...json('Transfer-Encoding: chunked'));
    raw.socket.write('zz\r\nnonsense\r\n');
    const answer = await raw.answer();
    expect([answer.status, codeOf(answer)]).toEqual([400, 'BAD_REQUEST']);
    raw.socket.end();
    await raw.closed;
  });

  it('an error never appears within a download, which is cut off instead', async () => {
    const path = await uploadPath();
    const length = 15 * MIB; // more than the buffers of a connection hold that nobody reads from
    expect((await fetch(server.address + path, { method: 'PUT', body: 'x'.repeat(length) })).status).toBe(200);
    const id = /files\/([^?]+)/.exec(path)![1];
    const { downloadUrl } = (await api.ask(`{file(ID:"${id}"){downloadUrl}}`)).file;
    const { pathname, search } = new URL(downloadUrl);
    const raw = await RawHttp.open(server.address);
    raw.socket.once('data', () => raw.socket.pause());
    raw.send(`GET ${pathname}${search} HTTP/1.1`, 'Host: x');
    await until(() => raw.text.includes('\r\n\r\n'));
    raw.socket.write('\u0001nonsense\r\n\r\n');
    raw.socket.resume().end();
    await raw.closed;
    const content = raw.text.slice(raw.text.indexOf('\r\n\r\n') + 4);
    expect(content).toMatch(/^x*$/);
    expect(content.length).toBeLessThan(length);
  });
});

describe('a method that a path does not support', () => {
  const allowed = async (method: string, path: string) => {
    const response = await fetch(server.address + path, { method });
    return [response.status, response.headers.get('allow')];
  };

  it('is answered with 405 and the supported ones, wherever something is served', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      expect(await allowed('DELETE', path)).toEqual([405, 'GET, HEAD']);
    }
    expect(await allowed('PUT', '/email/graphql')).toEqual([405, 'GET, HEAD, POST']);
    expect(await allowed('POST', '/file-management/files/x')).toEqual([405, 'GET, HEAD, OPTIONS, PUT']);
    expect(await allowed('GET', '/file-management/files/x/parts/y/1')).toEqual([405, 'OPTIONS, PUT']);
    expect(await allowed('HEAD', '/document-log/export')).toEqual([405, 'GET']);
    expect(await allowed('DELETE', '/email/identities/verify')).toEqual([405, 'GET, HEAD, POST']);
  });

  it('is answered in the error format of its path', async () => {
    const of = async (path: string) => fetch(server.address + path, { method: 'PATCH', body: '{}' });
    expect(await (await of('/email/graphql')).json()).toEqual({
      errors: [{ message: expect.stringContaining('PATCH'), extensions: { code: 'BAD_REQUEST' } }],
    });
    expect(await (await of('/file-management/files/x')).json()).toEqual({ code: 'BAD_REQUEST', message: expect.any(String) });
    expect((await of('/email/identities/verify')).headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('is 404 where nothing is served', async () => {
    for (const path of ['/', '/email', '/file-management/files', '/health/live/x', '/constructor']) {
      expect(await allowed('DELETE', path)).toEqual([404, null]);
    }
  });

  it('is not HEAD where GET is supported: console, health, metrics', async () => {
    for (const path of ['/health/live', '/metrics', '/email/graphql']) {
      const response = await fetch(server.address + path, { method: 'HEAD', headers: { accept: 'text/html' } });
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
  });

  it('is not OPTIONS at the byte routes, with or without browser headers', async () => {
    expect((await fetch(`${server.address}/file-management/files/x`, { method: 'OPTIONS' })).status).toBe(204);
  });
});
