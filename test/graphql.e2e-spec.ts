// @nightly postgresql: no SQL of its own
import { request } from 'node:http';
import { serverAudits } from 'graphql-http';
import { MAX_BODY_BYTES } from '../src/common/scheduling/memory-budget.js';
import { SERVICES } from '../src/common/auth/scopes.js';
import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

/** SHOULDs of the working draft that we do not follow; docs/graphql-over-http.md has the reasons. */
const NOT_FOLLOWED: string[] = [];

describe('the GraphQL endpoints', () => {
  let server: TestServer;
  let key: string;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start();
    key = await server.createKey();
    api = await server.api('file-management', key);
  });
  afterAll(() => server.stop());

  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(`${server.address}/file-management/graphql`, {
      method: 'POST',
      body: body as never,
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
    });

  it('answer version in every service', async () => {
    for (const service of SERVICES) {
      expect((await (await server.api(service, key)).ask('{version}')).version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it('comply with GraphQL over HTTP: no MUST fails, and each failing SHOULD is documented', async () => {
    const failed: string[] = [];
    const fetchFn = (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, 'x-api-key': key } });
    for (const audit of serverAudits({ url: `${server.address}/email/graphql`, fetchFn })) {
      const result = await audit.fn();
      if (result.status !== 'ok' && !audit.name.startsWith('MAY')) failed.push(`${audit.id} ${audit.name}`);
    }
    expect(failed).toEqual(NOT_FOLLOWED);
  });

  it.each([
    ['malformed JSON', '{"query', 400, 'BAD_REQUEST'],
    ['no body', '', 400, 'BAD_REQUEST'],
    ['a list of operations', '[{"query":"{version}"}]', 400, 'BAD_REQUEST'],
    ['no query', '{}', 400, 'BAD_REQUEST'],
    ['an unknown operation name', '{"query":"query A{version}","operationName":"B"}', 400, 'BAD_REQUEST'],
    ['a persisted query', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}', 200, 'BAD_REQUEST'],
    ['malformed GraphQL', '{"query":"{version"}', 200, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{"query":"{nonsense}"}', 200, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable of a wrong type',
      '{"query":"query($n:Int){files(limit:$n){nextToken}}","variables":{"n":"x"}}',
      200,
      'BAD_USER_INPUT',
    ],
  ])('refuse %s', async (_, body, status, code) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as any).errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code }) }),
    ]);
  });

  it('refuse a body over 16 MiB before it has arrived', async () => {
    const response = await post(Buffer.alloc(MAX_BODY_BYTES + 1, 32));
    expect(response.status).toBe(413);
    expect(((await response.json()) as any).errors[0].extensions.code).toBe('PAYLOAD_TOO_LARGE');
  });

  it('refuse what another site could make a browser send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const response = await post('{"query":"{version}"}', { 'content-type': type });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
    }
    const preflight = await fetch(`${server.address}/email/graphql`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answer the same with a slash at the end of their path', async () => {
    const operation = { method: 'POST', body: '{"query":"{version}"}' };
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    for (const [path, init] of [
      ['/email/graphql/', operation],
      ['/email/graphql/?query=%7Bversion%7D', {}],
    ] as const) {
      const response = await fetch(`${server.address}${path}`, { ...init, headers });
      expect([response.status, await response.json()]).toMatchObject([200, { data: { version: expect.any(String) } }]);
    }
    const refused = await fetch(`${server.address}/email/graphql/`, {
      ...operation,
      headers: { 'content-type': 'application/json' },
    });
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });

  it.each(['/graphql', '/graphql/', '/api/graphql'])('are named by the 404 at %s', async (path) => {
    const response = await fetch(`${server.address}${path}`, { method: 'POST', body: '{}' });
    const text = await response.text();
    expect(response.status).toBe(404);
    for (const service of SERVICES) expect(text).toContain(`/${service}/graphql`);
  });

  it('accept operations by POST and GET only', async () => {
    for (const method of ['PUT', 'DELETE', 'HEAD']) {
      const response = await fetch(`${server.address}/email/graphql?query={version}`, { method, headers: { 'x-api-key': key } });
      expect(response.status).toBe(405);
    }
  });

  it('refuse operations that are too deep, too wide or too long', async () => {
    const codes = async (query: string) => (await api.send(query)).errors?.[0]?.extensions.code;
    expect(await codes('{__schema' + '{types{fields{type'.repeat(7) + '{name}' + '}}}'.repeat(7) + '}')).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
    expect(await codes(`{${Array.from({ length: 101 }, (_, i) => `a${i}:version`).join(' ')}}`)).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
    expect(await codes(`{${'version '.repeat(100_001)}}`)).toBe('GRAPHQL_PARSE_FAILED');
  });

  it('have the trace id of the traceparent in the log line of the request', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await api.send('{version}', {}, { 'x-request-id': 'traced', traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    await api.send('{version}', {}, { 'x-request-id': 'untraced', traceparent: `00-${trace}"-00f067aa0ba902b7-01` });
    const lines = () => server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const lineOf = (id: string) => lines().find(({ requestId }) => requestId === id);
    while (!lineOf('untraced')) await new Promise((resolve) => setImmediate(resolve));
    expect(lineOf('traced')).toMatchObject({ msg: 'request', traceId: trace });
    expect(lineOf('untraced')).not.toHaveProperty('traceId');
  });

  it('name each request, in the response and in the log, and accept a harmless request id', async () => {
    const own = await api.send('{version}', {}, { 'x-request-id': 'shop-42' });
    expect(own.headers.get('x-request-id')).toBe('shop-42');
    const given = await api.send('{version}', {}, { 'x-request-id': 'a"b' });
    expect(given.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const line = JSON.parse(await until(() => server.logLines.find((text) => text.includes('shop-42'))));
    expect(line).toMatchObject({ method: 'POST', route: '/file-management/graphql', operation: 'version', status: 200 });
  });

  it.each(['a b<c', '[', '[::1', 'a]', ':::', ':80', '1.2.3.256'])(
    'answer the Host header %s with 400, not with an internal error',
    async (host) => {
      const { port } = new URL(server.address);
      const status = await new Promise((resolve, reject) => {
        const headers = { host, 'content-type': 'application/json', 'x-api-key': key };
        const sent = request({ port, method: 'POST', path: '/email/graphql', headers }, (answer) => resolve(answer.statusCode));
        sent.on('error', reject).end('{"query":"{version}"}');
      });
      expect(status).toBe(400);
    },
  );

  it('send headers, like every other URL, that stop browsers from running content or guessing its type', async () => {
    const paths = [
      '/nothing',
      '/health/live',
      '/health/ready',
      '/metrics',
      '/file-management/files/none',
      '/email/identities/none',
    ];
    const answers = await Promise.all([
      ...paths.map((path) => fetch(server.address + path)),
      fetch(`${server.address}/document-log/export`, { headers: { 'x-api-key': key } }),
      fetch(`${server.address}/email/graphql`, { headers: { accept: 'text/html' } }),
      post('{"query":"{version}"}'),
      post('{"query":'),
      fetch(`${server.address}/email/graphql`, { method: 'POST', body: '{}' }),
    ]);
    for (const { url, status, headers } of answers) {
      const policy = headers.get('content-security-policy');
      expect({ url, status, sniffed: headers.get('x-content-type-options'), policy }).toEqual({
        url,
        status,
        sniffed: 'nosniff',
        policy: expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
      });
    }
  });

  it('count operations by service, name and outcome', async () => {
    await api.ask('{version}');
    await api.send('mutation{deleteFile(id:"unknown"){id}}');
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    expect(metrics).toMatch(/graphql_operations_total\{service="file-management",operation="version",outcome="ok"\} \d+/);
    expect(metrics).toMatch(/graphql_operations_total\{service="file-management",operation="deleteFile",outcome="NOT_FOUND"\} 1/);
    expect(metrics).not.toContain('nonsense');
  });

  it('serve a complete console to a browser, without a key and without another host', async () => {
    const page = await fetch(`${server.address}/document-log/graphql`, { headers: { accept: 'text/html' } });
    const html = await page.text();
    expect(page.headers.get('content-encoding')).toBe('gzip');
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'");
    expect(html).not.toMatch(/<(script|link|img)[^>]+(src|href)="(https?:)?\/\//);
    expect(html).not.toContain('createSingleDocumentLogs'); // nor anything else of a schema but the examples
  });

  it('serve the same console to a client without compression, and only its headers for HEAD', async () => {
    const open = (method: string, encoding: string) =>
      fetch(`${server.address}/document-log/graphql`, {
        method,
        headers: { accept: 'text/html', 'accept-encoding': encoding },
      });
    const [zipped, plain, head] = await Promise.all([open('GET', 'gzip'), open('GET', 'identity'), open('HEAD', 'identity')]);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await zipped.text());
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/html; charset=utf-8', '']);
  });

  it('answer 304 without a body to a browser that has the console, in any encoding', async () => {
    const open = (headers: Record<string, string>) =>
      fetch(`${server.address}/document-log/graphql`, { headers: { accept: 'text/html', ...headers } });
    const first = await open({ 'accept-encoding': 'gzip;q=0' });
    await first.text();
    expect([first.headers.get('content-encoding'), first.headers.get('etag')]).toEqual([null, expect.stringMatching(/^W\/"/)]);
    for (const encoding of ['gzip', 'identity']) {
      const again = await open({ 'accept-encoding': encoding, 'if-none-match': first.headers.get('etag')! });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('refuse a document with a lone surrogate, even after the same document with U+FFFD was cached', async () => {
    const api = await server.api('document-log');
    const send = (character: string) =>
      fetch(`${server.address}/document-log/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': api.key! },
        body: `{"query":"{logs(filter:{documentId:\\"half-${character}\\"}){nextToken}}"}`,
      }).then((answer) => answer.json() as Promise<{ data?: object; errors?: { extensions: { code: string } }[] }>);
    const codes = async () => (await send('\\ud800')).errors?.map(({ extensions }) => extensions.code);
    expect(await codes()).toEqual(['GRAPHQL_PARSE_FAILED']);
    for (let i = 0; i < 3; i++) expect(await send('\\ufffd')).toMatchObject({ data: { logs: { nextToken: null } } });
    expect(await codes()).toEqual(['GRAPHQL_PARSE_FAILED']);
  });
});
