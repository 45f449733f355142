// @nightly postgresql: no SQL of its own
import { ENDPOINTS } from '../src/common/auth/scopes.js';
import { printedSchema } from '../scripts/schemas.mjs';
import { TestServer } from './support/server.js';

describe('the schema text of an endpoint', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const ask = (service: string, key?: string, { method = 'GET', ...headers }: Record<string, string> = {}) =>
    fetch(`${server.address}/${service}/graphql/schema.graphql`, {
      method,
      headers: { ...(key && { 'x-api-key': key }), ...headers },
    });
  const keyOf = (service: string) =>
    service === 'admin' ? server.createAdminKey() : server.createKey(`${service}-api:query:version`);
  const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];

  it.each(ENDPOINTS)('equals that of schema/ for %s, for a key with any entry of the service', async (service) => {
    const response = await ask(service, await keyOf(service));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/graphql; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(await response.text()).toBe(printedSchema(service));
  });

  it('has an ETag, with which a caller gets 304 and no body', async () => {
    const key = await keyOf('email');
    const etag = (await ask('email', key)).headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await ask('email', key, { 'if-none-match': known });
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, etag, '']);
    }
    expect((await ask('email', key, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask('document-log', await keyOf('document-log'))).headers.get('etag')).not.toBe(etag);
  });

  it('is described by HEAD', async () => {
    const response = await ask('email', await keyOf('email'), { method: 'HEAD' });
    const length = Number(response.headers.get('content-length'));
    expect([response.status, length, await response.text()]).toEqual([200, Buffer.byteLength(printedSchema('email')), '']);
    expect(response.headers.get('etag')).toMatch(/^"[\w-]+"$/);
  });

  it.each(ENDPOINTS)('of %s is hidden from callers without a key of the service', async (service) => {
    const other = await keyOf(service === 'email' ? 'document-log' : 'email');
    expect(await codeOf(await ask(service))).toEqual([401, 'UNAUTHENTICATED']);
    expect(await codeOf(await ask(service, 'ps_wrong', { 'if-none-match': '*' }))).toEqual([401, 'UNAUTHENTICATED']);
    expect(await codeOf(await ask(service, other))).toEqual([403, 'FORBIDDEN']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('is not served for %s, which names the methods', async (method) => {
    const response = await ask('email', await keyOf('email'), { method });
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await codeOf(response)).toEqual([405, 'BAD_REQUEST']);
  });
});
