import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../../src/common/config/config.js';
import { OutboundHttp, type OutboundRequest } from '../../src/common/outbound/outbound-http.js';
import { newAuthority, newCertificate } from '../support/certificates.js';

const LOCAL = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' };

describe('a request to a URL that a tenant provides', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outbound-'));
  const ends: (() => unknown)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));
  afterAll(() => rmSync(folder, { recursive: true }));

  const listen = async (server: Server | ReturnType<typeof createTcp>, host = '127.0.0.1', port = 0) => {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
    await once(server.listen(port, host), 'listening');
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(done));
    });
    return { port: (server.address() as AddressInfo).port, sockets };
  };
  const serve = (listener: RequestListener, host?: string, port?: number) => listen(createHttp(listener), host, port);
  const outbound = (
    settings: Record<string, string> = LOCAL,
    ...rest: ConstructorParameters<typeof OutboundHttp> extends [any, ...infer R] ? R : never
  ) => {
    const http = new OutboundHttp(Config.read(settings), ...rest);
    ends.unshift(() => http.onApplicationShutdown());
    return http;
  };
  const request = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
    tenantId: 'tenant',
    url,
    headers: {},
    body: '',
    timeoutMs: 30_000,
    maxAnswerBytes: 1_024,
    ...more,
  });

  it('sends the method, path, headers and body, and returns the response', async () => {
    const seen: unknown[] = [];
    const { port } = await serve(async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      seen.push([incoming.method, incoming.url, incoming.headers['x-one'], incoming.headers.host, String(Buffer.concat(chunks))]);
      outgoing.writeHead(202, { 'retry-after': '7' }).end('thänks\0');
    });
    const url = `http://127.0.0.1:${port}/a/b?c=d%20e`;
    const answer = await outbound().send(request(url, { method: 'PUT', headers: { 'x-one': '1' }, body: Buffer.from('bytes') }));
    expect(answer).toMatchObject({ status: 202, answer: 'thänks\uFFFD', headers: { 'retry-after': '7' } });
    expect(answer.durationMs).toBeLessThan(30_000);
    expect(seen).toEqual([['PUT', '/a/b?c=d%20e', '1', `127.0.0.1:${port}`, 'bytes']]);
  });

  it('does not follow a redirect', async () => {
    const seen: string[] = [];
    const { port } = await serve((incoming, outgoing) => {
      seen.push(incoming.url!);
      outgoing.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await outbound().send(request(`http://127.0.0.1:${port}/here`))).toMatchObject({ status: 307 });
    expect(seen).toEqual(['/here']);
  });

  it.each([
    ['no headers', () => {}],
    [
      'headers that never end',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        setInterval(() => socket.write('a: b\r\n'), 50).unref();
      },
    ],
    [
      'a body that never ends',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        setInterval(() => socket.write('1\r\na\r\n'), 50).unref();
      },
    ],
  ])('ends after its time if the server sends %s, and closes the connection', async (_, behave: (socket: Socket) => unknown) => {
    const server = createTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => behave(socket.unref() && socket));
    });
    const { port, sockets } = await listen(server);
    const started = performance.now();
    const slow = outbound().send(request(`http://127.0.0.1:${port}`, { timeoutMs: 1_000, maxAnswerBytes: 1 << 20 }));
    await expect(slow).rejects.toThrow('the server did not answer within 1 s');
    expect(performance.now() - started).toBeGreaterThan(900);
    while (sockets.size > 0) await sleep(10);
  });

  it('reads the start of a large response, whole characters only, and closes the connection', async () => {
    let sent = 0;
    const { port, sockets } = await serve((_, outgoing) => {
      const more = () => {
        while (!outgoing.destroyed && outgoing.write('€'.repeat(10_000))) sent += 30_000;
      };
      outgoing.on('drain', more);
      more();
    });
    const { answer } = await outbound().send(request(`http://127.0.0.1:${port}`, { maxAnswerBytes: 1_000 }));
    expect(answer).toBe('€'.repeat(333));
    while (sockets.size > 0) await sleep(10);
    expect(sent).toBeLessThan(1 << 26);
  });

  it.each([
    ['nobody listens', undefined, 'the server refused the connection'],
    ['it hangs up', (socket: Socket) => socket.destroy(), 'the server closed the connection without an answer'],
    [
      'it is no HTTP',
      (socket: Socket) => socket.end('220 mail.example ESMTP\r\n'),
      'the server answered with something other than HTTP',
    ],
    [
      'its headers are long',
      (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}\r\n\r\n`),
      'the answer has headers that are too long',
    ],
  ])('fails with one plain sentence if %s', async (_, behave, text) => {
    const { port } = behave
      ? await listen(createTcp((socket) => void socket.on('error', () => {}).once('data', () => behave(socket))))
      : { port: 9 };
    await expect(outbound().send(request(`http://127.0.0.1:${port}`))).rejects.toThrow(new RegExp(`^${text}$`));
  });

  it('is aborted by the signal of its caller', async () => {
    const { port } = await serve(() => {});
    const stop = new AbortController();
    const stopped = outbound().send(request(`http://127.0.0.1:${port}`, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    await expect(stopped).rejects.toThrow('the request was aborted');
  });

  it.each(['host', 'Content-Length', 'transfer-encoding', 'connection', 'proxy-authorization'])(
    'sets no header %s of its caller',
    async (name) => {
      const sending = outbound().send(request('http://127.0.0.1:9', { headers: { [name]: '1' } }));
      await expect(sending).rejects.toThrow(`the header ${name} must not be set`);
    },
  );

  it('refuses headers with line breaks', async () => {
    const sending = outbound().send(request('http://127.0.0.1:9', { headers: { 'x-a': 'b\r\nhost: inner' } }));
    await expect(sending).rejects.toThrow('a header has a name or value that cannot be sent');
  });

  it('reuses connections, at most ten of a tenant to one origin, and sends further requests in turn', async () => {
    let [now, most] = [0, 0];
    const connections = new Set<number>();
    const { port } = await serve((incoming, outgoing) => {
      connections.add(incoming.socket.remotePort!);
      most = Math.max(most, (now += 1));
      setTimeout(() => outgoing.end(String((now -= 1))), 20);
    });
    const http = outbound();
    await Promise.all(Array.from({ length: 100 }, () => http.send(request(`http://127.0.0.1:${port}`))));
    expect(most).toBe(10);
    expect(connections.size).toBe(10);
  });

  it('reaches an origin at which all requests of another tenant hang', async () => {
    const held: ServerResponse[] = [];
    const { port } = await serve((incoming, outgoing) => void (incoming.url === '/held' ? held.push(outgoing) : outgoing.end()));
    const at = (path: string, tenantId: string) => request(`http://127.0.0.1:${port}${path}`, { tenantId });
    const http = outbound();
    const hanging = Array.from({ length: 30 }, () => http.send(at('/held', 'a')));
    while (held.length < 10) await sleep(10);
    for (let n = 0; n < 20; n++) expect(await http.send(at('/free', 'b'))).toMatchObject({ status: 200 });
    expect(held.length).toBe(10);
    for (let sent = 0; sent < 30; sent++) {
      while (held.length === 0) await sleep(10);
      held.shift()!.end();
    }
    await Promise.all(hanging);
  });

  it('has its whole time once it has a slot', async () => {
    let seen = 0;
    const { port } = await serve((_, outgoing) => void setTimeout(() => outgoing.end(), seen++ < 10 ? 1_500 : 0));
    const http = outbound();
    const url = `http://127.0.0.1:${port}`;
    const slow = Array.from({ length: 10 }, () => http.send(request(url)));
    while (seen < 10) await sleep(10);
    const waiting = await http.send(request(url, { timeoutMs: 1_000 }));
    expect(waiting).toMatchObject({ status: 200 });
    expect(waiting.durationMs).toBeLessThan(1_000);
    await Promise.all(slow);
  });

  it('waiting for a slot is aborted by the signal of its caller, and was not sent', async () => {
    let seen = 0;
    const { port } = await serve(() => void (seen += 1));
    const http = outbound();
    const stop = new AbortController();
    const url = `http://127.0.0.1:${port}`;
    const sending = Array.from({ length: 11 }, () =>
      http.send(request(url, { signal: stop.signal })).catch((fault: Error) => fault),
    );
    while (seen < 10) await sleep(10);
    stop.abort();
    expect((await sending[10]) as Error).toMatchObject({ message: 'the request was aborted' });
    expect(seen).toBe(10);
    await Promise.all(sending);
  });

  it('waits while 250 others are running, and no more than 500 connections are ever open', async () => {
    const held: ServerResponse[] = [];
    const listener: RequestListener = (incoming, outgoing) =>
      void (incoming.url === '/held' ? held.push(outgoing) : outgoing.end());
    const servers = await Promise.all(Array.from({ length: 60 }, () => serve(listener)));
    const open = () => servers.reduce((sum, { sockets }) => sum + sockets.size, 0);
    const http = outbound();
    const at = (index: number, path: string) => request(`http://127.0.0.1:${servers[index]!.port}${path}`);
    const hold = async (first: number) => {
      const sending = Array.from({ length: 250 }, (_, index) => http.send(at(first + (index % 25), '/held')));
      while (held.length < 250) await sleep(10);
      return sending;
    };
    const free = async (sending: Promise<unknown>[]) => {
      for (const outgoing of held.splice(0)) outgoing.end();
      await Promise.all(sending);
    };
    await free(await hold(0));
    const idle = open();
    expect(idle).toBeGreaterThanOrEqual(100);
    const sending = await hold(25);
    expect(open()).toBeLessThanOrEqual(500);
    let isSent = false;
    const waiting = http.send(at(55, '/free')).then(() => (isSent = true));
    await sleep(100);
    expect(isSent).toBe(false);
    await free(sending);
    await waiting;
    expect(open()).toBeLessThanOrEqual(500);
  });

  describe('by TLS', () => {
    const authority = newAuthority();
    const file = join(folder, 'authority.pem');
    writeFileSync(file, authority.cert);
    const tls = (certificate: ReturnType<typeof newCertificate>) =>
      listen(createHttps(certificate, (_, outgoing) => void outgoing.end('by TLS')));
    const strict = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' };

    it('trusts the authorities of WEBHOOK_CA_FILE besides the public ones', async () => {
      const { port } = await tls(newCertificate({ issuer: authority }));
      const named = outbound({ ...strict, WEBHOOK_CA_FILE: file }, () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
      expect(await named.send(request(`https://localhost:${port}`))).toMatchObject({ status: 200, answer: 'by TLS' });
    });

    it.each([
      ['of an unknown authority', newCertificate({ issuer: newAuthority() }), /not trusted/],
      ['of its own making', newCertificate(), /^the certificate of the server is self-signed; to trust it, the operator/],
      [
        'for another host',
        newCertificate({ names: ['other.example'], issuer: authority }),
        /is for another host name than the one in the URL$/,
      ],
      ['that has expired', newCertificate({ from: new Date(0), until: new Date(1e12), issuer: authority }), /has expired$/],
    ])('refuses a certificate %s, also with NODE_TLS_REJECT_UNAUTHORIZED=0', async (_, certificate, text) => {
      const { port } = await tls(certificate);
      const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      ends.push(() =>
        before === undefined
          ? delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
          : (process.env.NODE_TLS_REJECT_UNAUTHORIZED = before),
      );
      const http = outbound({ ...strict, WEBHOOK_CA_FILE: file }, () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
      await expect(http.send(request(`https://localhost:${port}`))).rejects.toThrow(text);
    });

    it('fails with one plain sentence if the server does not use TLS', async () => {
      const { port } = await serve((_, outgoing) => void outgoing.end());
      await expect(outbound().send(request(`https://127.0.0.1:${port}`))).rejects.toThrow(
        'the TLS handshake with the server failed',
      );
    });
  });

  // A name whose address changes needs a server of names that the system asks, which a test cannot set; so the question itself is given.
  // The allowed 127.0.0.2 is in place of a public address.
  describe('to a name', () => {
    const two = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.2' };
    const answering = (...answers: string[][]) => {
      let asked = 0;
      return () =>
        Promise.resolve(
          answers[Math.min(asked++, answers.length - 1)]!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
    };
    const listening = async () => {
      const seen: string[] = [];
      const listener =
        (at: string): RequestListener =>
        (_, outgoing) => {
          seen.push(at);
          outgoing.writeHead(200, { connection: 'close' }).end();
        };
      const { port } = await serve(listener('outer'), '127.0.0.2');
      const inner = await serve(listener('inner'), '127.0.0.1', port);
      let reached = 0;
      inner.sockets.add = function add(socket) {
        reached += 1;
        return Set.prototype.add.call(this, socket) as Set<Socket>;
      };
      return { seen, url: `http://example.com:${port}/`, reachedInner: () => reached };
    };

    it('connects to the address that was checked, and never to another that the name resolves to next', async () => {
      const { seen, url, reachedInner } = await listening();
      const http = outbound(two, answering(['127.0.0.2'], ['127.0.0.1']));
      expect(await http.send(request(url))).toMatchObject({ status: 200 });
      await expect(http.send(request(url))).rejects.toThrow('the host has no public address');
      expect([seen, reachedInner()]).toEqual([['outer'], 0]);
    });

    it.each([
      [['127.0.0.2', '127.0.0.1']],
      [['127.0.0.1', '127.0.0.2']],
      [['::ffff:127.0.0.1']],
      [['::1']],
      [['169.254.169.254']],
      [[]],
    ])('is refused if one of its addresses is forbidden: %j', async (addresses) => {
      const { seen, url, reachedInner } = await listening();
      await expect(outbound(two, answering(addresses)).send(request(url))).rejects.toThrow(/^the host has no public address$/);
      expect([seen, reachedInner()]).toEqual([[], 0]);
    });

    it('of this machine is checked as the system resolves it', async () => {
      const { port } = await serve((_, outgoing) => void outgoing.end());
      const sending = outbound({ WEBHOOK_ALLOW_HTTP: 'true' }).send(request(`http://localhost:${port}`));
      await expect(sending).rejects.toThrow('the host has no public address');
    });
  });

  describe('with HTTPS_PROXY', () => {
    const proxy = async (status?: string) => {
      const seen: unknown[] = [];
      const server = createHttp();
      server.on('connect', (incoming, socket: Socket) => {
        seen.push([incoming.url, incoming.headers['proxy-authorization']]);
        if (status) return socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
        const target = connect(Number(incoming.url!.split(':')[1]), '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          target.pipe(socket).pipe(target);
        });
        target.on('error', () => socket.destroy());
        socket.on('error', () => target.destroy());
        socket.on('close', () => target.destroy());
      });
      const { port } = await listen(server);
      return { seen, url: `http://user:p%40ss@127.0.0.1:${port}` };
    };
    const PUBLIC = () => Promise.resolve([{ address: '8.8.8.8', family: 4 }]);

    it('uses its tunnel, with its login, and verifies the certificate of the server behind it', async () => {
      const authority = newAuthority();
      const file = join(folder, 'behind.pem');
      writeFileSync(file, authority.cert);
      const right = createHttps(
        newCertificate({ names: ['hooks.example'], issuer: authority }),
        (_, out) => void out.end('behind'),
      );
      const wrong = createHttps(newCertificate({ names: ['hooks.example'] }), (_, out) => void out.end('behind'));
      const [{ port }, other] = [await listen(right), await listen(wrong)];
      const { seen, url } = await proxy();
      const http = outbound({ HTTPS_PROXY: url, WEBHOOK_CA_FILE: file }, PUBLIC);
      expect(await http.send(request(`https://hooks.example:${port}/x`))).toMatchObject({ status: 200, answer: 'behind' });
      expect(seen).toEqual([[`hooks.example:${port}`, `Basic ${Buffer.from('user:p@ss').toString('base64')}`]]);
      await expect(http.send(request(`https://hooks.example:${other.port}/x`))).rejects.toThrow(/self-signed/);
    });

    it('refuses names of internal addresses before the proxy sees them', async () => {
      const { seen, url } = await proxy();
      const http = outbound({ HTTPS_PROXY: url }, () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]));
      await expect(http.send(request('https://inner.example'))).rejects.toThrow('the host has no public address');
      await expect(http.send(request('https://10.0.0.1'))).rejects.toThrow('private, local or reserved');
      expect(seen).toEqual([]);
    });

    it('reports a refusal of the proxy', async () => {
      const { url } = await proxy('403 Forbidden');
      const sending = outbound({ HTTPS_PROXY: url }, PUBLIC).send(request('https://hooks.example'));
      await expect(sending).rejects.toThrow('the proxy of this server did not let the request pass');
    });
  });
});
