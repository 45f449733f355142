// @nightly postgresql: no SQL of its own
import { TestServer } from './support/server.js';

const LIMIT = 50;
const aliases = (count: number) => `{${Array.from({ length: count }, (_, index) => `a${index}:version`).join(' ')}}`;
const remaining = (headers: Headers) => Number(/^"key";r=(\d+);t=(?:[1-9]|[1-5]\d|60)$/.exec(headers.get('ratelimit')!)?.[1]);

describe('a rate limit', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  });
  afterAll(() => server.stop());

  it('counts down with every response to a key, and is stated in it', async () => {
    const api = await server.api('email');
    for (const left of [LIMIT - 1, LIMIT - 2]) {
      const { status, headers } = await api.send('{version}');
      expect([status, remaining(headers)]).toEqual([200, left]);
      expect(headers.get('ratelimit-policy')).toBe(`"key";q=${LIMIT};w=60`);
      expect(headers.get('retry-after')).toBeNull();
    }
    const { headers } = await (await server.api('email')).send('{version}');
    expect(remaining(headers)).toBe(LIMIT - 1);
  });

  it('refuses with 429 what exceeds it, and states when to retry', async () => {
    const api = await server.api('email');
    await Promise.all(Array.from({ length: LIMIT }, () => api.ask('{version}')));
    const refused = await api.send('{version}');
    expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.errors?.[0]?.message).toMatch(/^A key may spend 50 points a minute; try again in \d+ s$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(remaining(refused.headers)).toBe(0);
    const exported = await fetch(`${server.address}/document-log/export`, { headers: { 'x-api-key': api.key! } });
    expect([exported.status, await exported.json()]).toEqual([429, expect.objectContaining({ code: 'RATE_LIMITED' })]);
  });

  it('counts each root field of an operation, including those in fragments', async () => {
    const api = await server.api('email');
    expect(remaining((await api.send(aliases(20))).headers)).toBe(LIMIT - 20);
    const { headers } = await api.send('{...f ...f version} fragment f on Query{a:version ...g} fragment g on Query{b:version}');
    expect(remaining(headers)).toBe(LIMIT - 23);
  });

  it('counts the fields that an operation could resolve', async () => {
    const api = await server.api('file-management');
    expect(remaining((await api.send('{files(limit:2){items{id name}}}')).headers)).toBe(LIMIT - 1);
    expect(remaining((await api.send('{files(limit:500){items{id name}}}')).headers)).toBeLessThan(LIMIT - 1 - 10);
  });

  it('refuses an operation that costs too much before it starts, for one point', async () => {
    const api = await server.api('file-management');
    const creates = Array.from({ length: 30 }, (_, index) => `a${index}:createFile{id}`).join(' ');
    expect((await api.send(`mutation{${creates}}`)).errors).toBeUndefined();
    const refused = await api.send(`mutation{${creates}}`);
    expect([refused.status, refused.errors?.[0]?.extensions.code, refused.data]).toEqual([429, 'RATE_LIMITED', undefined]);
    expect(refused.errors?.[0]?.message).toMatch(/this operation costs \d+ and \d+ are left; try again in \d+ s/);
    expect(remaining(refused.headers)).toBe(LIMIT - 31);
    expect((await api.ask('{storageUsed{fileCount}}')).storageUsed.fileCount).toBe(30);
    const never = await api.refusal(aliases(LIMIT + 1));
    expect(never.message).toMatch(/ask for less: each root field costs 1 point/);
  });

  it('counts invalid and forbidden operations too', async () => {
    const key = await server.createKey('email-api:query:*');
    const own = await server.api('email', key);
    const other = await server.api('document-log', key);
    const answers = [
      await own.send('{'),
      await own.send('{nonsense}'),
      await own.send('query($yes:Boolean!){version @include(if:$yes)}', { yes: 'x' }),
      await other.send('{version}'),
      await own.send('{version}', {}, { 'content-type': 'text/plain' }),
    ];
    expect(answers.map(({ headers }) => remaining(headers))).toEqual([49, 48, 47, 46, 45]);
    const exported = await fetch(`${server.address}/document-log/export`, { headers: { 'x-api-key': key } });
    expect([exported.status, remaining(exported.headers)]).toEqual([403, 44]);
  });

  it('has neither headers nor a count for requests that need no key, or when it is off', async () => {
    const { headers } = await fetch(`${server.address}/health/live`);
    const unlimited = await TestServer.start();
    const off = await (await unlimited.api('email')).send('{version}');
    for (const one of [headers, off.headers]) {
      expect([one.get('ratelimit'), one.get('ratelimit-policy')]).toEqual([null, null]);
    }
    await unlimited.stop();
  });
});
