// @nightly postgresql: no SQL of its own
import type { Api } from './support/api.js';
import { RawHttp } from './support/raw-http.js';
import { TestServer } from './support/server.js';

/** The only header that urql sends by default, beside those that its application adds. */
const URQL = {
  accept: 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
};

const PAGES = Array.from({ length: 20 }, (_, i) => `a${i}:files(limit:1000){items{id+name+attributes{name}}}`).join('+');

describe('GraphQL queries by GET', () => {
  let server: TestServer;
  let key: string;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start({ RATE_LIMIT_PER_MINUTE: '100000' });
    key = await server.createKey();
    api = await server.api('file-management', key);
  });
  afterAll(() => server.stop());

  const PATH = '/file-management/graphql';
  const get = async (params: Record<string, string> | string, headers: Record<string, string> = {}) => {
    const search = typeof params === 'string' ? params : String(new URLSearchParams(params));
    const response = await fetch(`${server.address}${PATH}?${search}`, { headers: { 'x-api-key': key, ...headers } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  };
  const refusal = async (...request: Parameters<typeof get>) => {
    const { status, body } = await get(...request);
    return [status, body.errors?.[0].extensions.code];
  };

  it('are executed with their variables and operationName, as urql sends them, and stored by no cache', async () => {
    const { id } = (await api.ask('mutation{createFile(input:{name:"Müller & Söhne + 1.txt"}){id}}')).createFile;
    const query = 'query A{version} query B($id:ID!){file(ID:$id){name}}';
    const answer = await get({ query, operationName: 'B', variables: JSON.stringify({ id }) }, URQL);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.headers.get('content-type')).toContain('application/graphql-response+json');
    expect(answer.body).toEqual({ data: { file: { name: 'Müller & Söhne + 1.txt' } } });
    const filter = { query: 'query($p:String){files(filter:{namePrefix:$p}){items{id}}}', variables: '{"p":"Müller & Söhne +"}' };
    expect((await get(filter)).body).toEqual({ data: { files: { items: [{ id }] } } });
  });

  it('require the key in its header, which no page of another site can set, and its scope', async () => {
    const anonymous = await fetch(`${server.address}${PATH}?query={version}&x-api-key=${key}`);
    expect([anonymous.status, anonymous.headers.get('cache-control')]).toEqual([401, 'no-store']);
    const preflight = await fetch(`${server.address}${PATH}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    const ofOthers = await server.createKey('email-api:query:*');
    expect(await refusal({ query: '{version}' }, { 'x-api-key': ofOthers })).toEqual([403, 'FORBIDDEN']);
    const narrow = await server.createKey('file-management-api:query:file');
    expect(await refusal({ query: '{storageUsed{fileCount}}' }, { 'x-api-key': narrow })).toEqual([200, 'FORBIDDEN']);
  });

  it('are never mutations, whatever else they contain', async () => {
    const mutation = 'mutation M{createFile{id}}';
    const before = (await api.ask('{storageUsed{fileCount}}')).storageUsed.fileCount;
    for (const params of [
      { query: mutation } as Record<string, string>,
      { query: `query Q{version} ${mutation}`, operationName: 'M' },
    ]) {
      const { status, headers, body } = await get(params);
      expect([status, headers.get('allow'), body.errors[0].extensions.code]).toEqual([405, 'POST', 'BAD_REQUEST']);
    }
    expect((await api.ask('{storageUsed{fileCount}}')).storageUsed.fileCount).toBe(before);
  });

  it.each([
    ['no query', '', 400, 'BAD_REQUEST'],
    ['two queries', 'query={version}&query={version}', 400, 'BAD_REQUEST'],
    ['variables that are no JSON', 'query={version}&variables={', 400, 'BAD_REQUEST'],
    ['variables that are no object', 'query={version}&variables=[]', 400, 'BAD_REQUEST'],
    ['a broken escape', 'query={version}%', 400, 'BAD_REQUEST'],
    ['an escape that is not UTF-8', 'query={version}&variables={"a":"%ff"}', 400, 'BAD_REQUEST'],
    ['malformed GraphQL', 'query={version', 200, 'GRAPHQL_PARSE_FAILED'],
    ['too many brackets', `query=${'{a'.repeat(101)}`, 200, 'GRAPHQL_PARSE_FAILED'],
    ['too many brackets, the name escaped', `%71uery=${'%7Ba'.repeat(101)}`, 200, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', 'query={nonsense}', 200, 'GRAPHQL_VALIDATION_FAILED'],
    ['too many fields', `query={${PAGES}}`, 200, 'GRAPHQL_VALIDATION_FAILED'],
    ['a persisted query', 'extensions={"persistedQuery":{"version":1,"sha256Hash":"x"}}', 200, 'BAD_REQUEST'],
  ])('have the same limits as by POST: %s', async (_, search, status, code) => {
    expect(await refusal(search)).toEqual([status, code]);
  });

  it('are refused if their URL is too long or not ASCII', async () => {
    const head = (search: string) => [`GET ${PATH}?${search} HTTP/1.1`, 'Host: localhost', `x-api-key: ${key}`];
    expect((await RawHttp.answer(server.address, ...head(`query={version}&variables=${'x'.repeat(17_000)}`))).status).toBe(431);
    expect((await RawHttp.answer(server.address, ...head('query={version}&variables={"a":"\u00ff"}'))).status).toBe(400);
  });

  it('count toward the rate limit like those by POST', async () => {
    const spent = async () => Number((await get({ query: '{version}' })).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1]);
    const [first, second] = [await spent(), await spent()];
    expect(first - second).toBe(1);
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    expect(metrics).toMatch(/graphql_operations_total\{service="file-management",operation="version",outcome="ok"\} \d+/);
  });

  it('leave nothing of their URL in the log, whether served or refused', async () => {
    const secret = 'very-private-variable';
    const query = 'query($id:ID!){file(ID:$id){id}}';
    await get({ query, variables: JSON.stringify({ id: secret }) });
    await get({ query: `{file(ID:"${secret}"){nonsense}}` });
    await get(`query={version}&variables=${secret}`);
    await get(`query=${secret}%`);
    await fetch(`${server.address}${PATH}?query=${secret}`);
    await fetch(`${server.address}/nothing?query=${secret}`);
    await RawHttp.answer(server.address, `GET ${PATH}?query=${secret}${'x'.repeat(17_000)} HTTP/1.1`, 'Host: x');
    const lines = server.logLines.join('');
    expect(lines).toContain('"operation":"file"');
    expect(lines).not.toContain(secret);
    expect(lines).not.toContain('query=');
  });

  it('leave the console to browsers', async () => {
    const page = await fetch(`${server.address}${PATH}?query={version}`, { headers: { accept: 'text/html,*/*' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    await page.body!.cancel(); // a connection with an answer that nobody reads stays open
  });
});
