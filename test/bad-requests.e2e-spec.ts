// @nightly postgresql: no SQL of its own
import { connect } from 'node:net';
import { once } from 'node:events';
import { MAX_NAME } from '../src/common/base/text.js';
import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';

const JSON_TYPE = 'application/json';
const NEW_FORM = 'application/graphql-response+json';
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('a malformed request', () => {
  let server: TestServer;
  let key: string;
  let log: Api;
  beforeAll(async () => {
    server = await TestServer.start();
    key = await server.createKey();
    log = await server.api('document-log', key);
  });
  afterAll(() => server.stop());

  const post = async (body: string | Buffer, { type = JSON_TYPE, accept = '*/*' } = {}) => {
    const response = await fetch(`${server.address}/document-log/graphql`, {
      method: 'POST',
      body: body as never,
      headers: { 'content-type': type, 'x-api-key': key, accept },
    });
    const { data, errors } = (await response.json()) as { data?: unknown; errors?: any[] };
    return { status: response.status, data, errors };
  };
  const refusal = async (...given: Parameters<typeof post>) => {
    const { status, errors } = await post(...given);
    const codes = new Set(errors?.map(({ extensions }) => extensions.code));
    return { status, code: [...codes].join(), message: String(errors?.[0].message) };
  };
  const operation = (query: string, more: object = {}): string => JSON.stringify({ query, ...more });
  /** Written members that a JavaScript object could not have. */
  const variables = (query: string, json: string): string => `{"query":${JSON.stringify(query)},"variables":${json}}`;

  const DEEP = 50_000;
  it.each([
    ['selections', `{${'a{'.repeat(DEEP)}b${'}'.repeat(DEEP)}}`],
    ['lists', `{logs(limit:${'['.repeat(DEEP)}${']'.repeat(DEEP)}){nextToken}}`],
    ['input objects', `{logs(filter:${'{a:'.repeat(DEEP / 2)}1${'}'.repeat(DEEP / 2)}){nextToken}}`],
    ['types', `query($a:${'['.repeat(DEEP)}Int${']'.repeat(DEEP)}){version}`],
    ['inline fragments', `{${'...{'.repeat(DEEP / 2)}version${'}'.repeat(DEEP / 2)}}`],
    ['brackets that are never closed', `{version}${'{'.repeat(DEEP)}`],
    ['operations', Array.from({ length: 5_000 }, (_, i) => `query Q${i}{version}`).join(' ')],
    ['fragments in fragments', Array.from({ length: 9_000 }, (_, i) => `fragment F${i} on Query{...F${i + 1}}`).join(' ')],
  ])('is refused in one plain sentence for a document with too many %s', async (_, document) => {
    for (const [accept, expected] of [
      [JSON_TYPE, 200],
      [NEW_FORM, 400],
    ] as const) {
      const { status, code, message } = await refusal(operation(document), { accept });
      expect([status, code]).toEqual([expected, 'GRAPHQL_PARSE_FAILED']);
      expect(message).toMatch(/the document (nests brackets more than 100 deep|has more than 200 operations and fragments)/);
    }
  });

  it.each([
    ['characters', `{version}${' '.repeat(2_200_000)}`, /longer than 2162688 characters; put long values into variables/],
    ['comments', `${'#\n'.repeat(10_001)}{version}`, /more than 10000 lines; put long values into variables/],
    ['lines', `{version${'\r'.repeat(10_001)}}`, /more than 10000 lines/],
    ['tokens', `mutation{createFile(input:{${'name:"a" '.repeat(17_000)}}){id}}`, /more that 50000 tokens/],
  ])('is refused for a document with too many %s, which would take long to parse', async (_, document, message) => {
    const answer = await refusal(operation(document), { accept: NEW_FORM });
    expect(answer).toMatchObject({ status: 400, code: 'GRAPHQL_PARSE_FAILED', message: expect.stringMatching(message) });
  });

  const REPEATED = /^The document requests the same fields too often/;
  const MANY = /^The document has more than 10000 fields/;
  it.each([
    ['repeats a field', `{${'version '.repeat(9_000)}}`, REPEATED],
    ['repeats an object', `{${'storageUsed{bytes} '.repeat(300)}}`, REPEATED],
    ['repeats a field in fragments', `{${'...{version}'.repeat(400)}}`, REPEATED],
    ['has many fields', `{${Array.from({ length: 10_001 }, (_, index) => `f${index}`).join()}}`, MANY],
    [
      'uses a fragment often',
      `{${'storageUsed{...f}'.repeat(200)}} fragment f on StorageUsed{${'a b c d e f '.repeat(10)}}`,
      MANY,
    ],
  ])('is refused for a document that %s, which would take long to validate', async (_, document, fault) => {
    const { code, message } = await refusal(operation(document));
    expect([code, message]).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringMatching(fault)]);
  });

  it.each([
    ['empty objects', `[${'{},'.repeat(200_000)}{}]`],
    ['numbers', `[${'1,'.repeat(200_001)}1]`],
    ['lists in lists', `${'['.repeat(200_001)}${']'.repeat(200_001)}`],
    ['names', `{${Array.from({ length: 200_002 }, (_, i) => `"${i}":1`).join()}}`],
  ])('is refused with PAYLOAD_TOO_LARGE before parsing when its body has too many values, whether %s', async (_, json) => {
    const answer = await refusal(variables('{version}', json), { accept: NEW_FORM });
    expect(answer).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE', message: expect.stringMatching(/more than 200000 values/) });
  });

  it('is not one whose strings are full of commas and brackets', async () => {
    const text = '[{,\\"'.repeat(300_000);
    expect((await post(operation('{version}', { variables: { text } }))).errors).toBeUndefined();
  });

  it('is not one whose brackets are in strings and comments, or adjacent', async () => {
    const texts = `# ${'{'.repeat(300)}\n{a:documentState(documentId:"${'{['.repeat(100)}",documentType:"""${'('.repeat(300)}"""){__typename}`;
    const wide = Array.from({ length: 90 }, (_, i) => `b${i}:logs(filter:{dateTime:{}},limit:1){nextToken}`).join(' ');
    expect((await post(operation(`${texts} ${wide}}`))).errors).toBeUndefined();
  });

  it.each([
    ['a DateTime', 'query($v:DateTime!){documentState(documentId:"d",documentType:"t",at:$v){__typename}}'],
    ['a String', 'query($v:String!){documentState(documentId:"d",documentType:$v){__typename}}'],
    ['an Int', 'query($v:Int!){logs(limit:$v){nextToken}}'],
    [
      'a Name',
      'mutation($v:Name!){createLog(input:{documentId:"d",documentType:"t",dateTime:"2024-01-01",attribute:{name:$v}}){itemId}}',
    ],
    ['an input object', 'query($v:LogsFilter!){logs(filter:$v){nextToken}}'],
  ])('is refused with BAD_USER_INPUT for a variable nested 100,000 deep in place of %s', async (_, query) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const json = `{"v":${open.repeat(100_000)}1${close.repeat(100_000)}}`;
      const { status, code, message } = await refusal(variables(query, json));
      expect([status, code]).toEqual([200, 'BAD_USER_INPUT']);
      expect(message).not.toContain('call stack');
    }
  });

  it('is refused with BAD_USER_INPUT and few errors when more variables are wrong than the engine lists', async () => {
    const wrong = Array.from({ length: 60 }, (_, i) => [`v${i}`, 'x'.repeat(10_000)]);
    const declared = wrong.map(([name]) => `$${name}:Int`).join();
    const used = wrong.map(([name]) => `${name}:logs(limit:$${name}){nextToken}`).join(' ');
    const { status, errors = [] } = await post(
      operation(`query(${declared}){${used}}`, { variables: Object.fromEntries(wrong) }),
    );
    expect(status).toBe(200);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(errors.map(() => 'BAD_USER_INPUT'));
    expect(JSON.stringify(errors).length).toBeLessThan(20_000);
  });

  it.each([
    ['null for an argument with a default', 'query($v:Boolean=true){version @include(if:$v)}', '{"v":null}'],
    [
      'a number within a Name',
      'mutation($v:Int){createLog(input:{documentId:"d",documentType:"t",dateTime:"2024-01-01",attribute:{name:{en:$v}}}){itemId}}',
      '{"v":1}',
    ],
  ])('is refused for a fault that only shows where the variable is used: %s', async (_, query, json) => {
    expect(await refusal(variables(query, json))).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it.each([
    ['a subscription', operation('subscription{version}'), 200, 'GRAPHQL_VALIDATION_FAILED', /offers no subscription operations/],
    ['only fragments', operation('fragment F on Query{version}'), 200, 'GRAPHQL_VALIDATION_FAILED', /never used/],
    ['only a type', operation('type A{b:Int}'), 200, 'GRAPHQL_VALIDATION_FAILED', /not executable/],
    ['several operations without a name', operation('query A{version} query B{version}'), 400, 'BAD_REQUEST', /operation name/],
    ['an unknown operation name', operation('query A{version}', { operationName: 'B' }), 400, 'BAD_REQUEST', /Unknown operation/],
    ['an operationName of another type', operation('{version}', { operationName: 1 }), 400, 'BAD_REQUEST', /operationName/],
    ['an empty query', operation(''), 400, 'BAD_REQUEST', /non-empty/],
    ['blanks only', operation('  '), 200, 'GRAPHQL_PARSE_FAILED', /Syntax Error/],
    ['a query that is no string', '{"query":{"a":1}}', 400, 'BAD_REQUEST', /must be strings/],
    ['a query that is a list', '{"query":["{version}"]}', 400, 'BAD_REQUEST', /must be strings/],
    ['a parsed document', '{"query":{"kind":"Document"}}', 400, 'BAD_REQUEST', /must be strings/],
    ['variables in a list', operation('{version}', { variables: [1] }), 400, 'BAD_REQUEST', /variables/],
    ['variables as a string', operation('{version}', { variables: '{}' }), 400, 'BAD_REQUEST', /variables/],
    ['extensions in a list', operation('{version}', { extensions: [] }), 400, 'BAD_REQUEST', /extensions/],
    ['extensions as a string', operation('{version}', { extensions: 'x' }), 400, 'BAD_REQUEST', /extensions/],
    ['a persisted query of a wrong type', operation('{version}', { extensions: { persistedQuery: 1 } }), 200, 'BAD_REQUEST', /./],
    ['several operations at once', '[{"query":"{version}"},{"query":"{version}"}]', 400, 'BAD_REQUEST', /./],
    ['a body of null', 'null', 400, 'BAD_REQUEST', /./],
    ['a body of a number', '1', 400, 'BAD_REQUEST', /./],
    ['an empty body', '', 400, 'BAD_REQUEST', /empty/],
    ['a body cut off', '{"query":"{ver', 400, 'BAD_REQUEST', /not JSON/],
    ['a variable named __proto__', operation('query($__proto__:Int){logs(limit:$__proto__){nextToken}}'), 200, 'GRAPHQL_VALIDATION_FAILED', /cannot be named __proto__/], // prettier-ignore
  ])('is refused with a documented code for %s', async (_, body, status, code, message) => {
    expect(await refusal(body)).toEqual({ status, code, message: expect.stringMatching(message) });
  });

  it('is not one with a field name alone, or with an operation chosen by its name', async () => {
    expect((await post(operation('{__typename}'))).data).toEqual({ __typename: 'Query' });
    const several = operation('query A{__typename} mutation B{updateLog(input:{id:"x"}){id}}', { operationName: 'A' });
    expect((await post(several)).data).toEqual({ __typename: 'Query' });
  });

  it('is refused for a variable named __proto__ or constructor.prototype like for any unknown name', async () => {
    for (const json of ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '{"__proto__":1,"limit":1}']) {
      expect((await post(variables('query($limit:Int){logs(limit:$limit){nextToken}}', json))).errors).toBeUndefined();
    }
    const filter = variables('query($f:LogsFilter){logs(filter:$f){nextToken}}', '{"f":{"__proto__":{"id":"x"}}}');
    expect(await refusal(filter)).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining('"__proto__"') });
    expect(({} as any).a).toBeUndefined();
  });

  it('is not one with __proto__ or constructor as a Name, which is returned as given', async () => {
    const name = '{"__proto__":"a","constructor":"b","toString":"c","en":"d"}';
    const create = 'mutation($n:Name!){createLog(input:{documentId:"p",documentType:"t",dateTime:"2024-01-01",attribute:{id:"i",name:$n}}){item{attribute{name}}}}'; // prettier-ignore
    const read = operation('{logs(filter:{documentId:"p"}){items{attribute{name}}}}');
    expect(JSON.stringify((await post(variables(create, `{"n":${name}}`))).data)).toContain(`"attribute":{"name":${name}}`);
    expect(JSON.stringify((await post(read)).data)).toContain(`"attribute":{"name":${name}}`);
  });

  it.each([
    [
      'bytes that are not UTF-8',
      Buffer.from([...Buffer.from('{"query":"{version}","a":"'), 0xc3, 0x28, 0x22, 0x7d]),
      JSON_TYPE,
      400,
    ],
    ['Latin-1', Buffer.from('{"query":"{version}","a":"ü"}', 'latin1'), JSON_TYPE, 400],
    [
      'a surrogate in UTF-8',
      Buffer.from([...Buffer.from('{"query":"{version}","a":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d]),
      JSON_TYPE,
      400,
    ],
    ['UTF-16', utf16('{"query":"{version}"}'), JSON_TYPE, 400],
    ['UTF-16 that says so', utf16('{"query":"{version}"}'), `${JSON_TYPE}; charset=utf-16`, 415],
    ['another charset', Buffer.from('{"query":"{version}"}'), `${JSON_TYPE}; charset="iso-8859-1"`, 415],
  ])('is refused with BAD_REQUEST for a body of %s', async (_, body, type, status) => {
    expect(await refusal(body, { type })).toEqual({ status, code: 'BAD_REQUEST', message: expect.stringContaining('UTF-8') });
  });

  it.each([
    ['with a byte order mark', '\ufeff{"query":"{version}"}', JSON_TYPE],
    ['that says so', '{"query":"{version}"}', `${JSON_TYPE}; charset=UTF-8`],
    ['that says so in quotes', '{"query":"{version}"}', `${JSON_TYPE};charset="utf8"`],
    ['of ASCII', '{"query":"{version}"}', `${JSON_TYPE}; charset=us-ascii`],
  ])('is not one with a UTF-8 body %s', async (_, body, type) => {
    expect((await post(Buffer.from(body), { type })).errors).toBeUndefined();
  });

  it('names the field of a time that cannot be stored; a filter accepts any year as a bound', async () => {
    const push = await server.api('websockets-manager', key);
    for (const kind of ['pushMessage(input:{recipients:["r"],', 'pushGlobalMessage(input:{']) {
      const late = `mutation{${kind}message:"m",expiresAt:"9999-12-31T23:59:59-01:00"}){__typename}}`;
      expect(await push.refusal(late)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.expiresAt' });
      const last = await push.ask(`mutation{${kind}message:"m",expiresAt:"9999-12-31T23:59:59.999Z"}){__typename}}`);
      expect(last).toBeTruthy();
    }
    const all = 'from:"0000-01-01",to:"9999-12-31T23:59:59-01:00"';
    for (const field of ['createdAt', 'expiresAt']) {
      expect((await push.ask(`{messages(filter:{${field}:{${all}}}){items{expiresAt}}}`)).messages.items).toHaveLength(1);
      expect(
        (await push.ask(`{globalMessages(filter:{${field}:{${all}}}){items{expiresAt}}}`)).globalMessages.items,
      ).toHaveLength(1);
    }
    expect((await log.ask(`{verifyLogs(${all}){valid}}`)).verifyLogs).toEqual({ valid: true });
  });

  it('names the field of an invalid id: NUL and lone surrogates are BAD_USER_INPUT, other text is an unknown id', async () => {
    const proof = 'query($id:ID!){logProof(id:$id){root}}';
    for (const id of ['\0', 'a\ud800', 'x'.repeat(MAX_NAME + 1)]) {
      expect(await log.refusal(proof, { id })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'id' });
    }
    expect(await log.refusal(proof, { id: 'unknown' })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['before its body', ''],
    ['within its body', '{"query":"'],
  ])('aborted by its client %s is logged without an error', async (_, sent) => {
    const id = `gone-${sent.length}`;
    const { port, hostname } = new URL(server.address);
    const arrived = once(server.app.getHttpServer(), 'request');
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const headers = `Host: x\r\nX-Api-Key: ${key}\r\nX-Request-Id: ${id}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 100`;
    socket.write(`POST /document-log/graphql HTTP/1.1\r\n${headers}\r\n\r\n${sent}`);
    await arrived;
    socket.resetAndDestroy();
    const lines = () => server.logLines.filter((text) => text.includes(id)).map((text) => JSON.parse(text));
    while (lines().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await post(operation('{version}'));
    expect(lines().map(({ level, msg }) => [level, msg])).toEqual([[30, 'request aborted by the client']]);
  });
});
