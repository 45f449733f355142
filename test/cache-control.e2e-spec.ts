// @nightly postgresql: no SQL of its own
import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';

const YEAR = 31_536_000;

describe('Cache-Control of public files', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start();
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const FIELDS = '{id uploadUrl downloadUrl cacheControl public}';
  const CREATE = `mutation($input:CreateFileInput){createFile(input:$input)${FIELDS}}`;
  const UPDATE = `mutation($input:UpdateFileInput){updateFile(input:$input)${FIELDS}}`;
  const create = async (input: object) => (await api.ask(CREATE, { input })).createFile;
  const update = async (input: object) => (await api.ask(UPDATE, { input })).updateFile;
  const stored = async (input: object) => {
    const file = await create(input);
    await fetch(file.uploadUrl, { method: 'PUT', body: Buffer.from('x') });
    return (await api.ask(`{file(ID:"${file.id}")${FIELDS}}`)).file;
  };
  const served = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).headers.get('cache-control');

  it('is no-cache by default, and is sent with every cacheable response', async () => {
    const plain = await stored({ public: true });
    expect([plain.cacheControl, await served(plain.downloadUrl)]).toEqual(['no-cache', 'no-cache']);
    const given = `public, max-age=${YEAR}, immutable`;
    const kept = await stored({ public: true, cacheControl: ` Public,max-age=${YEAR} ,IMMUTABLE` });
    expect(kept.cacheControl).toBe(given);
    const etag = (await fetch(kept.downloadUrl)).headers.get('etag')!;
    const inits: RequestInit[] = [
      {},
      { method: 'HEAD' },
      { headers: { range: 'bytes=0-0' } },
      { headers: { 'if-none-match': etag } },
    ];
    for (const init of inits) expect(await served(kept.downloadUrl, init)).toBe(given);
  });

  it('is changed and reset by updateFile, and unchanged when left out', async () => {
    const { id, downloadUrl } = await stored({ public: true, cacheControl: 'max-age=60' });
    expect((await update({ id, name: 'renamed' })).cacheControl).toBe('max-age=60');
    expect((await update({ id, cacheControl: 'no-store' })).cacheControl).toBe('no-store');
    expect(await served(downloadUrl)).toBe('no-store');
    expect((await update({ id, cacheControl: null })).cacheControl).toBe('no-cache');
    expect(await served(downloadUrl)).toBe('no-cache');
  });

  it('is accepted for public files only, and is removed when a file becomes protected', async () => {
    const field = 'input.cacheControl';
    for (const input of [{ cacheControl: 'max-age=60' }, { cacheControl: 'max-age=60', public: false }]) {
      expect(await api.refusal(CREATE, { input })).toMatchObject({ code: 'BAD_USER_INPUT', field });
    }
    const protectedOne = await stored({ cacheControl: null });
    expect([protectedOne.cacheControl, await served(protectedOne.downloadUrl)]).toEqual([null, 'private, no-store']);
    const { id } = protectedOne;
    const refused = { code: 'BAD_USER_INPUT', field };
    expect(await api.refusal(UPDATE, { input: { id, cacheControl: 'max-age=60' } })).toMatchObject(refused);
    expect(await update({ id, public: true, cacheControl: 'max-age=60' })).toMatchObject({ cacheControl: 'max-age=60' });
    expect(await api.refusal(UPDATE, { input: { id, public: false, cacheControl: 'no-store' } })).toMatchObject(refused);
    expect(await update({ id, public: false })).toMatchObject({ public: false, cacheControl: null });
    expect(await update({ id, public: true })).toMatchObject({ public: true, cacheControl: 'no-cache' });
  });

  it('never lets a cache store a file past its expiry', async () => {
    const cacheControl = `max-age=${YEAR}, s-maxage=1, stale-while-revalidate=60, stale-if-error=60`;
    const { downloadUrl } = await stored({ public: true, expiresIn: 1_000, cacheControl });
    const [, maxAge, rest] = /^max-age=(\d+), (.*)$/.exec((await served(downloadUrl))!)!;
    expect(Number(maxAge)).toBeLessThanOrEqual(1_000);
    expect(Number(maxAge)).toBeGreaterThan(900);
    expect(rest).toBe('s-maxage=1, stale-while-revalidate=0, stale-if-error=0');
  });

  it.each([
    ['', /has ""/],
    ['max-age', /has "max-age"/],
    [`max-age=${YEAR + 1}`, /=SECONDS, 0 to 31536000/],
    ['max-age=-1', /has "max-age=-1"/],
    ['max-age=1=2', /has "max-age=1=2"/],
    ['max-age="60"', /has/],
    ['no-cache=1', /has "no-cache=1"/],
    ['no-cache="set-cookie"', /has/],
    ['no-cache,', /has ""/],
    ['no-cache\r\nset-cookie: a=b', /has/],
    ['max-age=60, max-age=60', /name each directive once/],
    ['public, private, max-age=60', /not be both public and private/],
    ['public, immutable', /must have max-age, no-cache or no-store/],
    [`no-cache${', no-store'.repeat(50)}`, /at most 256 characters/],
    ['no-cache\0', /NUL/],
  ])('of %j is refused', async (cacheControl, message) => {
    const refusal = await api.refusal(CREATE, { input: { public: true, cacheControl } });
    expect(refusal).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.cacheControl',
      message: expect.stringMatching(message),
    });
  });
});
