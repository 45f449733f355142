// @nightly postgresql: no SQL of its own
import { TestServer } from './support/server.js';

const PATH = '/file-management/graphql';
const RESPONSE_JSON = 'application/graphql-response+json, application/json;q=0.9';
/** Headers that differ in every answer. */
const OWN = new Set(['x-request-id', 'date', 'ratelimit']);

describe('a repeated operation', () => {
  let server: TestServer;
  let key: string;
  let id: string;
  beforeAll(async () => {
    server = await TestServer.start({ RATE_LIMIT_PER_MINUTE: '100000' });
    key = await server.createKey(undefined, 'owner');
    const api = await server.api('file-management', key);
    ({ id } = (await api.ask('mutation{createFile(input:{name:"a.txt"}){id}}')).createFile);
  });
  afterAll(() => server.stop());

  const send = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(server.address + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
      body: JSON.stringify(body),
    });
    const own = [...response.headers].filter(([name]) => !OWN.has(name));
    return { status: response.status, headers: Object.fromEntries(own), body: await response.text() };
  };
  const expensive = `query($n:Int){${Array.from({ length: 30 }, (_, i) => `a${i}:files(limit:$n){items{id name attributes{name}}}`).join(' ')}}`;
  const twoOperations = 'query A($id:ID!){file(ID:$id){name}} query B{version}';

  it.each([
    ['with data', () => ({ query: '{version a:version}' })],
    ['with variables', () => ({ query: 'query($id:ID!){file(ID:$id){name attributes{name}}}', variables: { id } })],
    ['with variables that are null', () => ({ query: '{storageUsed{fileCount}}', variables: null, operationName: null })],
    ['with extensions of a client', () => ({ query: '{version b:version}', extensions: { clientLibrary: { name: 'x' } } })],
    ['of several in a document', () => ({ query: twoOperations, operationName: 'A', variables: { id } })],
    ['without the name of one of several', () => ({ query: twoOperations, variables: { id } })],
    ['that names none of several', () => ({ query: twoOperations, operationName: 'C', variables: { id } })],
    ['with the schema', () => ({ query: '{__schema{queryType{name}} __typename}' })],
    ['without a required variable', () => ({ query: 'query($id:ID!){file(ID:$id){id}}' })],
    ['with a variable of a wrong type', () => ({ query: 'query($n:Int){files(limit:$n){nextToken}}', variables: { n: 'x' } })],
    ['with a refused field', () => ({ query: 'query($n:Int){version files(limit:$n){nextToken}}', variables: { n: 0 } })],
    ['that costs too much', () => ({ query: expensive, variables: { n: 1_000 } })],
    ['with a persisted query', () => ({ query: '{version}', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } })],
    ['with variables in a list', () => ({ query: '{version}', variables: [] })],
    ['with variables in a text', () => ({ query: '{version}', variables: '{}' })],
    ['with a name that is a number', () => ({ query: '{version}', operationName: 1 })],
  ])('is answered like the first one: %s', async (_, body) => {
    for (const accept of ['*/*', 'application/json', RESPONSE_JSON, 'text/plain']) {
      const first = await send(body(), { accept });
      for (let again = 0; again < 2; again++) expect(await send(body(), { accept })).toEqual(first);
    }
  });

  it('is executed each time, with current values', async () => {
    const query = 'mutation($input:CreateFileInput){createFile(input:$input){id name}}';
    const created = [];
    for (const name of ['a', 'b', 'c']) {
      const { body } = await send({ query, variables: { input: { name } } });
      created.push(JSON.parse(body).data.createFile);
    }
    expect(created.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(new Set(created.map((file) => file.id)).size).toBe(3);
  });

  it('requires the scope of its own key, whoever sent it before', async () => {
    const query = 'query($id:ID!){file(ID:$id){name}}';
    for (let again = 0; again < 3; again++) expect((await send({ query, variables: { id } })).body).toContain('a.txt');
    const other = await server.createKey('file-management-api:query:files', 'owner');
    const { body } = await send({ query, variables: { id } }, { 'x-api-key': other });
    expect(JSON.parse(body)).toMatchObject({ data: { file: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    const stranger = await server.createKey();
    expect(JSON.parse((await send({ query, variables: { id } }, { 'x-api-key': stranger })).body).data).toEqual({ file: null });
  });

  it('is charged to the rate limit each time', async () => {
    const api = await server.api('file-management');
    const remaining = async () => Number(/r=(\d+)/.exec((await api.send('{version c:version}')).headers.get('ratelimit')!)![1]);
    const before = await remaining();
    expect([await remaining(), await remaining()]).toEqual([before - 2, before - 4]);
  });
});
