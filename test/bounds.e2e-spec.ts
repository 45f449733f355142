// @nightly: fills a process with the largest bodies and answers
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { MAX_BODY_BYTES } from '../src/common/scheduling/memory-budget.js';
import { Api } from './support/api.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { CREATE_CSS, MIB } from './support/rendering.js';
import { TestServer } from './support/server.js';

const aliases = (count: number, field: string) => Array.from({ length: count }, (_, i) => `t${i}:${field}`).join(' ');
const createCss = (api: Api, text: string) => api.ask(CREATE_CSS, { input: { name: 'style', text } });
/** Characters that JSON escapes, and of one to four bytes. */
const MIXED = '"\\\n\u0001é€😀</x>';

describe('the answer of one operation', () => {
  let server: TestServer;
  let api: Api;
  let ids: string[];
  beforeAll(async () => {
    server = await TestServer.start();
    api = await server.api('document-rendering');
    ids = [];
    for (const character of ['a', 'b', MIXED]) {
      const text = character.repeat(Math.floor(MIB / character.length));
      ids.push((await createCss(api, text)).createCss.id);
    }
  });
  afterAll(() => server.stop());

  it('is limited to 64 MiB, however aliases multiply rows; the field fails and earlier fields stay', async () => {
    const { status, data, errors } = await api.send(`{version css{items{${aliases(60, 'text')}}}}`);
    expect(status).toBe(200);
    expect(data).toEqual({ version: expect.any(String), css: null });
    expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'PAYLOAD_TOO_LARGE' } })]);
    expect(errors![0]!.path![0]).toBe('css');
    const roots = await api.send(`{${aliases(60, 'css{items{text}}')}}`);
    expect(new Set(roots.errors!.map(({ extensions }) => extensions.code))).toEqual(new Set(['PAYLOAD_TOO_LARGE']));
  });

  it('is the same JSON when it is large and written in chunks', async () => {
    const selection = (count: number) => `{items{id name author{id} ${aliases(count, 'text')}} nextToken}`;
    const small = (await api.ask(`{css(filter:{ids:["${ids[2]}"]})${selection(1)}}`)).css;
    expect(small.items[0].t0).toBe(MIXED.repeat(Math.floor(MIB / MIXED.length)));
    const large = (await api.ask(`{css${selection(10)}}`)).css;
    expect(large.nextToken).toBeNull();
    expect(large.items.map(({ id }: { id: string }) => id)).toEqual(ids);
    const { t0, ...rest } = small.items[0];
    expect(large.items[2]).toEqual({ ...rest, ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`t${i}`, t0])) });
  });

  it('lists 1,000 records with all their fields in the order of the rows', async () => {
    const files = await server.api('file-management');
    const made: string[] = [];
    for (let batch = 0; batch < 11; batch++) {
      const creations = `mutation{${aliases(100, `createFile(input:{externalReference:"many",attributes:[{name:"n",value:"${batch}"}]}){id}`)}}`;
      made.push(...Object.values<{ id: string }>(await files.ask(creations)).map(({ id }) => id));
    }
    const all = '{id attributes{name value} downloadUrl uploadUrl createdAt}';
    const { list } = await files.ask(`{list:filesWithExternalReference(externalReference:"many")${all}}`);
    expect(list.map(({ id }: { id: string }) => id)).toEqual(made.toReversed());
    expect(list[0]).toEqual({
      id: made.at(-1),
      attributes: [{ name: 'n', value: '10' }],
      downloadUrl: null,
      uploadUrl: expect.stringContaining(made.at(-1)!),
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  it('leaves out refused items, and ends at the field limit', async () => {
    const files = await server.api('file-management');
    await files.ask(`mutation{${aliases(100, 'createFile(input:{externalReference:"x"}){id}')}}`);
    const query = (count: number) =>
      `{filesWithExternalReference(externalReference:"x"){${aliases(count, 'uploadUrl(expiresIn:0)')}}}`;
    const few = await files.send(query(1));
    expect(few.errors).toHaveLength(100);
    expect(few.data.filesWithExternalReference).toHaveLength(100);
    const many = await files.send(query(11));
    expect(many.errors!.at(-1)!.extensions.code).toBe('PAYLOAD_TOO_LARGE');
    expect(many.data).toEqual({ filesWithExternalReference: null });
  });

  it('is limited by the rows read, selected or not, including the files of a reference', async () => {
    const files = await server.api('file-management');
    const attributes = Array.from({ length: 100 }, (_, i) => ({ name: `n${i}`, value: 'v'.repeat(4_000) }));
    const creations = `mutation($input:CreateFileInput!){${aliases(20, 'createFile(input:$input){id}')}}`;
    await files.ask(creations, { input: { externalReference: 'large', attributes } });
    const { data, errors } = await files.send(`{${aliases(10, 'filesWithExternalReference(externalReference:"large"){id}')}}`);
    expect(new Set(errors!.map(({ extensions }) => extensions.code))).toEqual(new Set(['PAYLOAD_TOO_LARGE']));
    expect(errors![0]!.message).toMatch(/reads is larger than 64 MiB; ask for .* a lower limit/);
    for (const list of Object.values<unknown[] | null>(data)) expect([20, undefined]).toContain(list?.length);
  });
});

describe('a process with a heap of 300 MiB', () => {
  let deployment: Deployment;
  let server: ServerProcess;
  let address: string;
  beforeAll(async () => {
    deployment = await Deployment.create();
    server = deployment.start({ PORT: '0', NODE_OPTIONS: '--max-old-space-size=300' });
    address = await server.ready();
  });
  afterAll(() => deployment.remove());

  const newKey = () => deployment.keys('create', '--tenant', `tenant-${randomUUID()}`, '--scope', ALL_SCOPES);

  it('bounds concurrent answers: further ones wait or are refused, and it survives', async () => {
    const api = new Api(address, 'document-rendering', await newKey());
    for (let i = 0; i < 2; i++) await createCss(api, 'x'.repeat(MIB));
    const answers = await Promise.all(Array.from({ length: 24 }, () => api.send(`{css{items{${aliases(30, 'text')}}}}`)));
    const served = answers.filter(({ errors }) => !errors);
    expect(served.length).toBeGreaterThan(0);
    for (const { data } of served) expect(data.css.items[1].t29).toHaveLength(MIB);
    for (const { data, errors, headers } of answers.filter((answer) => answer.errors)) {
      expect(data).toEqual({ css: null });
      expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['SERVICE_UNAVAILABLE']);
      expect(headers.get('retry-after')).toBe('2');
    }
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    expect((await api.ask('{version}')).version).toMatch(/^\d/);
  });

  it('bounds pages of large texts that one operation requests concurrently', async () => {
    const api = new Api(address, 'document-rendering', await newKey());
    for (let i = 0; i < 3; i++) {
      const creations = `mutation($input:CreateCssInput!){${aliases(15, 'createCss(input:$input){id}')}}`;
      await api.ask(creations, { input: { name: 'style', text: 'x'.repeat(MIB) } });
    }
    const { data } = await api.send('{css{items{text} nextToken}}');
    expect(data.css.items).toHaveLength(7);
    expect(data.css.nextToken).not.toBeNull();
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.send(`{${aliases(8, 'css{items{text}}')}}`)));
    for (const { status, errors } of answers) {
      const codes = new Set(errors?.map(({ extensions }) => extensions.code));
      expect([status, [...codes].filter((code) => !['PAYLOAD_TOO_LARGE', 'SERVICE_UNAVAILABLE'].includes(String(code)))]).toEqual(
        [200, []],
      );
    }
    expect((await api.ask('{version}')).version).toMatch(/^\d/);
  });

  it('bounds request bodies by tenant, and frees their memory when the connection ends', async () => {
    const [greedy, other] = [await newKey(), await newKey()];
    const announced = Array.from({ length: 4 }, () => announceBody(address, greedy));
    const refused = await Promise.race(announced.map(({ answer }) => answer));
    expect(refused).toMatchObject({ status: 503, retryAfter: '2' });
    expect(JSON.parse(refused.body).errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE');
    const api = new Api(address, 'document-rendering', other);
    expect((await api.ask('{version}')).version).toMatch(/^\d/);
    for (const { end } of announced) end();
    await createCss(new Api(address, 'document-rendering', greedy), 'x'.repeat(MIB));
  });
});

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

/** Announces a body of the largest size, and sends only its start. */
function announceBody(address: string, key: string): { answer: Promise<Answer>; end: () => void } {
  const headers = { 'content-type': 'application/json', 'content-length': MAX_BODY_BYTES, 'x-api-key': key };
  const sent = request(`${address}/document-rendering/graphql`, { method: 'POST', headers });
  const answer = new Promise<Answer>((resolve) => {
    sent.on('error', () => undefined);
    sent.on('response', (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode!, retryAfter: response.headers['retry-after'], body }));
      response.on('error', () => undefined);
    });
  });
  sent.write('{"query":');
  return { answer, end: () => sent.destroy() };
}
