// @nightly postgresql: no SQL of its own
import { randomUUID } from 'node:crypto';
import { allRowsOf } from './support/behind-the-api.js';
import { Rest } from './support/rest.js';
import { RawHttp } from './support/raw-http.js';
import { TestServer } from './support/server.js';

const problem = (status: number, code: string, detail: unknown, field?: string) => ({
  type: 'about:blank',
  title: expect.any(String),
  status,
  code,
  detail,
  requestId: expect.stringMatching(/^[\w-]{36}$/),
  ...(field && { field }),
});

describe('REST', () => {
  let server: TestServer;
  let rest: Rest;
  beforeAll(async () => {
    server = await TestServer.start();
    rest = new Rest(server.address, await server.createKey());
  });
  afterAll(() => server.stop());

  const stranger = async () => new Rest(server.address, await server.createKey());
  const refusal = async (...request: Parameters<Rest['send']>) => {
    const { status, headers, body } = await rest.send(...request);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      'application/problem+json; charset=utf-8',
      'no-store',
    ]);
    expect(body.status).toBe(status);
    expect(body.requestId).toBe(headers.get('x-request-id'));
    return body;
  };

  describe('a file', () => {
    const upload = (content: string, query: Record<string, string>, headers: Record<string, string> = {}) =>
      rest.send('POST', '/files', { body: Buffer.from(content), query, headers });

    it('is created with its content by one request', async () => {
      const { status, body } = await upload('Hello', { name: 'hello.txt', comment: 'first', 'author.name': 'Ann' });
      expect(status).toBe(201);
      expect(body).toMatchObject({ name: 'hello.txt', status: 'done', contentLength: 5, contentType: 'text/plain' });
      expect(body).toMatchObject({ comment: 'first', author: { name: 'Ann' } });
      expect(await (await fetch(body.downloadUrl)).text()).toBe('Hello');
      expect(await rest.ask('GET', `/files/${body.id}`, { query: { fields: 'name,author.name' } })).toEqual({
        name: 'hello.txt',
        author: { name: 'Ann' },
      });
    });

    it('has the type of the request, or of contentType, whatever its name says', async () => {
      expect((await upload('{}', { name: 'a.txt' }, { 'content-type': 'text/csv' })).body.contentType).toBe('text/csv');
      const json = await upload('{}', { name: 'a', contentType: 'application/json' });
      expect(json.body).toMatchObject({ contentType: 'application/json', contentLength: 2 });
    });

    it('is created without content by JSON, and then has a URL to upload it', async () => {
      const { uploadUrl, status } = await rest.ask('POST', '/files', { body: { name: 'later.txt' } });
      expect(status).toBe('uploading');
      expect((await fetch(uploadUrl, { method: 'PUT', body: 'later' })).status).toBe(200);
    });

    it('whose content is refused does not remain', async () => {
      const name = randomUUID();
      const wrong = await upload('content', { name, checksumSha256: 'a'.repeat(64) });
      expect([wrong.status, wrong.body.code]).toEqual([400, 'BAD_USER_INPUT']);
      const large = await upload('content', { name, maxBytes: '3' });
      expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      const encoded = await upload('content', { name }, { 'content-encoding': 'gzip' });
      expect([encoded.status, encoded.body.code]).toEqual([415, 'BAD_REQUEST']);
      expect((await rest.ask('GET', '/files', { query: { namePrefix: name } })).items).toEqual([]);
    });

    it('is not created from a form, which tools send unasked', async () => {
      const form = await upload('{"name":"a"}', {}, { 'content-type': 'application/x-www-form-urlencoded' });
      expect(form.body).toEqual(problem(415, 'BAD_REQUEST', expect.stringContaining('must not be that of a form')));
    });

    it('with content needs the scope entries of createFile and file', async () => {
      const narrow = new Rest(server.address, await server.createKey('file-management-api:mutation:createFile'));
      const { status, body } = await narrow.send('POST', '/files', { body: Buffer.from('content') });
      expect([status, body.code, body.detail]).toEqual([403, 'FORBIDDEN', expect.stringContaining('query:file')]);
      expect((await narrow.send('POST', '/files', { body: {}, query: { fields: 'id' } })).status).toBe(201);
    });

    it('of another tenant does not exist', async () => {
      const { body } = await upload('secret', { name: 'secret.txt' });
      const other = await stranger();
      const path = `/files/${body.id}`;
      expect((await other.send('GET', path)).body).toEqual(problem(404, 'NOT_FOUND', expect.any(String)));
      expect((await other.send('PATCH', path, { body: { name: 'mine' } })).status).toBe(404);
      expect((await other.send('DELETE', path)).status).toBe(404);
      expect((await other.send('POST', `${path}/copy`, { body: { name: 'mine' } })).status).toBe(404);
      expect((await other.ask('GET', '/files', { query: { id: body.id } })).items).toEqual([]);
      expect((await rest.ask('GET', path)).name).toBe('secret.txt');
    });

    it('is changed, copied and deleted under its path', async () => {
      const { id } = (await upload('content', { name: 'a' })).body;
      expect((await rest.ask('PATCH', `/files/${id}`, { body: { comment: 'new' } })).comment).toBe('new');
      expect((await rest.ask('POST', `/files/${id}/copy`, { body: { name: 'b' } })).name).toBe('b');
      expect((await rest.ask('DELETE', `/files/${id}`)).id).toBe(id);
      expect((await rest.send('GET', `/files/${id}`)).status).toBe(404);
    });
  });

  it('sends an email by one request, and by its Idempotency-Key once', async () => {
    const body = { to: { address: 'ann@example.com' }, subject: 's', textBody: 't' };
    const send = (key: string, changed = {}) =>
      rest.send('POST', '/emails', { body: { ...body, ...changed }, headers: { 'idempotency-key': key } });
    const [first, again] = [await send('order-17'), await send('"order-17"')];
    expect([first.status, first.body.id]).toEqual([201, again.body.id]);
    expect((await send('order-17', { subject: 'other' })).body).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect((await send('a', { idempotencyKey: 'b' })).body).toMatchObject({ status: 400, field: 'Idempotency-Key' });
    const page = await rest.ask('GET', '/emails', { query: { fields: 'subject,to.address' } });
    expect(page.items).toEqual([{ subject: 's', to: [{ address: 'ann@example.com' }] }]);
  });

  it('refuses an Idempotency-Key where none would be stored', async () => {
    const request = { body: { name: 'a' }, headers: { 'idempotency-key': 'a' } };
    const expected = 'Idempotency-Key: cannot be used with createFile, which has no idempotency key; leave the header out';
    expect(await refusal('POST', '/files', request)).toEqual(problem(400, 'BAD_USER_INPUT', expected, 'Idempotency-Key'));
  });

  it('renders the template of the path', async () => {
    const template = { name: 'a b/c', type: 'document', contentType: 'html', body: '<p>{{ name }}</p>' };
    await rest.ask('POST', '/templates', { body: template });
    const path = `/templates/${encodeURIComponent(template.name)}`;
    const { body } = await rest.ask('POST', `${path}/render`, { body: { params: '{"name":"<Ann>"}' } });
    expect(body).toBe('<p>&lt;Ann&gt;</p>');
    expect(await rest.ask('GET', `${path}/params`)).toEqual(['name']);
    const given = await refusal('POST', `${path}/render`, { body: { params: '{}', templateName: 'other' } });
    expect(given).toMatchObject({ code: 'BAD_USER_INPUT', field: 'templateName' });
  });

  it('returns pages with a link to the next one', async () => {
    const { key } = await stranger();
    const own = new Rest(server.address, key);
    for (const name of ['a', 'b', 'c']) await own.ask('POST', '/files', { body: { name } });
    const seen: string[] = [];
    let url: string | undefined = '/v1/files?limit=2&fields=name';
    while (url) {
      const response: Response = await fetch(`${server.address}${url}`, { headers: { 'x-api-key': key! } });
      const { items, nextToken } = (await response.json()) as { items: { name: string }[]; nextToken: string | null };
      seen.push(...items.map(({ name }) => name));
      const link: string | null = response.headers.get('link');
      expect(link === null).toBe(nextToken === null);
      url = /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1];
    }
    expect(seen).toEqual(['c', 'b', 'a']);
  });

  it('returns a page with a damaged item as null, and the error of the item', async () => {
    const own = await stranger();
    const record = { documentId: 'd', documentType: 't', dateTime: '2026-01-02' };
    const { results } = await own.ask('POST', '/logs/batch', { body: [record, record] });
    const database = allRowsOf('no API damages a record', server);
    await database.$executeRawUnsafe(`UPDATE "Log" SET "details" = 'no JSON' WHERE "id" = '${results[0].itemId}'`);
    const { items, errors } = await own.ask('GET', '/logs', { query: { fields: 'id' } });
    expect(items).toEqual([{ id: results[1].itemId }, null]);
    expect(errors).toEqual([{ code: 'FAILED_PRECONDITION', detail: expect.any(String), path: ['items', 1] }]);
  });

  describe('a refusal', () => {
    it.each<[string, string, Parameters<Rest['send']>[2], number, string, string | undefined]>([
      ['GET', '/files', { query: { limit: '1.5' } }, 400, 'BAD_USER_INPUT', 'limit'],
      ['GET', '/files', { query: { limit: '1001' } }, 400, 'BAD_USER_INPUT', 'limit'],
      ['GET', '/files', { query: { active: 'yes' } }, 400, 'BAD_USER_INPUT', 'active'],
      ['GET', '/files', { query: { status: 'DONE' } }, 400, 'BAD_USER_INPUT', 'status'],
      ['GET', '/files', { query: { folders: 'a' } }, 400, 'BAD_USER_INPUT', 'folders'],
      ['GET', '/files', { query: { __proto__x: 'a' } }, 400, 'BAD_USER_INPUT', '__proto__x'],
      ['GET', '/files', { query: [['limit', '1'], ['limit', '2']] }, 400, 'BAD_USER_INPUT', 'limit'],
      ['GET', '/files', { query: { 'createdAt.from': '2026-02-30' } }, 400, 'BAD_USER_INPUT', 'createdAt.from'],
      ['GET', '/files', { query: { fields: 'id,size' } }, 400, 'BAD_USER_INPUT', 'fields'],
      ['GET', '/files', { query: { fields: 'id.x' } }, 400, 'BAD_USER_INPUT', 'fields'],
      ['GET', '/files', { query: { fields: '' } }, 400, 'BAD_USER_INPUT', 'fields'],
      ['GET', '/connections', {}, 400, 'BAD_USER_INPUT', 'recipient'],
      ['GET', '/files/x', { query: { id: 'y' } }, 400, 'BAD_USER_INPUT', 'id'],
      ['POST', '/messages', { body: { recipients: ['a'] } }, 400, 'BAD_USER_INPUT', 'message'],
      ['POST', '/messages', { body: { recipients: ['a'], message: 1 } }, 400, 'BAD_USER_INPUT', 'message'],
      ['POST', '/messages', { body: { recipient: 'a', message: 'm' } }, 400, 'BAD_USER_INPUT', 'recipient'],
      ['POST', '/messages', { body: [] }, 400, 'BAD_USER_INPUT', 'body'],
      ['POST', '/messages', {}, 400, 'BAD_USER_INPUT', 'body'],
      ['POST', '/logs/batch', { body: {} }, 400, 'BAD_USER_INPUT', 'body'],
      ['POST', '/logs/batch', { body: [{ documentId: 'd' }] }, 400, 'BAD_USER_INPUT', '0.dateTime'],
      ['POST', '/emails', { body: { to: [{ address: 'no' }], subject: 's', textBody: 't' } }, 400, 'BAD_USER_INPUT', 'to.0.address'],
      ['POST', '/files/x/copy', { body: {} }, 400, 'BAD_USER_INPUT', 'name'],
      ['DELETE', '/files/x', { body: {} }, 400, 'BAD_USER_INPUT', 'body'],
      ['GET', `/files/${randomUUID()}`, {}, 404, 'NOT_FOUND', undefined],
      ['DELETE', `/files/${randomUUID()}`, {}, 404, 'NOT_FOUND', undefined],
      ['GET', '/nothing', {}, 404, 'NOT_FOUND', undefined],
      ['PUT', '/files', {}, 405, 'BAD_REQUEST', undefined],
      ['OPTIONS', '/files', {}, 405, 'BAD_REQUEST', undefined],
      ['POST', '/messages', { body: Buffer.from('{'), headers: { 'content-type': 'application/json' } }, 400, 'BAD_REQUEST', undefined],
      ['POST', '/messages', { body: Buffer.from('<a/>'), headers: { 'content-type': 'text/xml' } }, 415, 'BAD_REQUEST', undefined],
      ['POST', '/files', { body: { name: 'a'.repeat(17 * 1024 * 1024) } }, 413, 'PAYLOAD_TOO_LARGE', undefined],
    ])('of %s %s %j is a problem', async (method, path, request, status, code, field) => {
      const name = String(field);
      const detail = field ? expect.stringContaining(name === '__proto__x' ? name : '') : expect.any(String);
      expect(await refusal(method, path, request)).toEqual(problem(status, code, detail, field));
    }); // prettier-ignore

    it('names what would be right', async () => {
      const { detail } = await refusal('GET', '/file-folders', { query: { folder: 'a' } });
      expect(detail).toBe('folder: is no parameter of this route; the parameters are limit, nextToken, prefix, fields');
      expect((await refusal('GET', '/files', { query: { fields: 'size' } })).detail).toMatch(
        /^fields: File has no field "size"; /,
      );
    });

    it('of a taken name is 409, of a missing state 412, of an operation too expensive 400', async () => {
      const css = { name: 'taken', text: '' };
      const template = { name: 'taken', type: 'document', contentType: 'html', body: '' };
      await rest.ask('POST', '/css', { body: css });
      await rest.ask('POST', '/templates', { body: template });
      expect((await rest.send('POST', '/templates', { body: template })).body).toMatchObject({ status: 409, code: 'CONFLICT' });
      const { id } = await rest.ask('POST', '/files', { body: { name: 'empty' } });
      const copied = await rest.send('POST', `/files/${id}/copy`, { body: { name: 'copy' } });
      expect(copied.body).toMatchObject({ status: 412, code: 'FAILED_PRECONDITION' });
      const query = { externalReference: 'any', limit: '10000', fields: 'id,attributes' };
      const large = await rest.send('GET', '/files-with-external-reference', { query });
      expect(large.body).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', detail: expect.stringContaining('smaller pages') });
    });

    it('reveals no CORS permission for a key to pages of other sites', async () => {
      const preflight = await rest.send('OPTIONS', '/files', {
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-api-key',
        },
      });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null]);
      const simple = await rest.send('GET', '/files', { headers: { origin: 'https://evil.example' } });
      expect([simple.status, simple.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    });
  });

  it('answers HEAD like GET, without the body', async () => {
    const { status, headers, body } = await rest.send('HEAD', '/files');
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json; charset=utf-8', undefined]);
  });

  it('writes one log line for a request, with the operation and the route', async () => {
    const requestId = randomUUID();
    await rest.send('GET', '/files', { headers: { 'x-request-id': requestId } });
    const lines = server.logLines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);
    expect(lines).toMatchObject([{ method: 'GET', route: '/v1/files', operation: 'files', status: 200 }]);
  });

  it('sends 100 Continue to an upload only if nothing refuses it', async () => {
    const raw = await RawHttp.open(server.address);
    const begin = (search: string) =>
      raw.send(
        `POST /v1/files?fields=status&${search} HTTP/1.1`,
        'host: localhost',
        `x-api-key: ${rest.key}`,
        'content-type: text/plain',
        'content-length: 4',
        'expect: 100-continue',
      );
    begin('name=a.txt');
    expect((await raw.answer()).status).toBe(100);
    raw.socket.write('abcd');
    const { status, body } = await raw.answer();
    expect([status, JSON.parse(body)]).toEqual([201, { status: 'done' }]);
    begin('maxBytes=3');
    expect((await raw.answer()).status).toBe(413);
    raw.socket.destroy();
  });
});

describe('REST under a rate limit', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ RATE_LIMIT_PER_MINUTE: '30' });
  });
  afterAll(() => server.stop());

  it('is charged the points of the operation, as in GraphQL, and refused with Retry-After', async () => {
    const leftAfter = ({ headers }: { headers: Headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
    const rest = new Rest(server.address, await server.createKey());
    expect(leftAfter(await rest.send('GET', '/email/version'))).toBe(29);
    expect(leftAfter(await rest.send('GET', '/emails', { query: { limit: '1', fields: 'id' } }))).toBe(28);
    expect(leftAfter(await rest.send('GET', '/emails', { query: { limit: 'x' } }))).toBe(27);
    const api = await server.api('file-management', rest.key);
    const { headers } = await api.send('{files(limit:200){items{id name comment status}}}');
    const left = leftAfter({ headers });
    const query = { limit: '200', fields: 'id,name,comment,status' };
    expect(leftAfter(await rest.send('GET', '/files', { query }))).toBe(left - (27 - left));
    const { status, body, headers: refused } = await rest.send('GET', '/files', { query: { limit: '1000' } });
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.get('retry-after'))).toBeGreaterThan(0);
  });
});
