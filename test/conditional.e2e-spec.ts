// @nightly postgresql: no SQL of its own
import type { Api } from './support/api.js';
import { RawHttp } from './support/raw-http.js';
import { TestServer } from './support/server.js';

const LONG_AGO = 'Fri, 02 Jan 2015 03:04:05 GMT';
const FAR_AHEAD = 'Wed, 02 Jan 2075 03:04:05 GMT';

describe('conditional requests for content', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start();
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const create = async (input: object = {}): Promise<{ id: string; uploadUrl: string }> =>
    (await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', { input })).createFile;
  const find = async (id: string) =>
    (await api.ask(`{file(ID:"${id}"){status error{code} contentLength uploaded downloadUrl updatedAt etag}}`)).file;
  const put = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body: Buffer.from(body), headers });
  const stored = async (body: string, input: object = {}) => {
    const file = await create(input);
    const etag = (await put(file.uploadUrl, body)).headers.get('etag')!;
    return { ...file, etag, ...(await find(file.id)) } as { id: string; uploadUrl: string; downloadUrl: string; etag: string };
  };
  const content = async (id: string) => (await fetch((await find(id)).downloadUrl)).text();
  const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
  const blobsOf = async (id: string) => (await server.blobKeys()).filter((key) => key.includes(`/${id}-`));
  const headOf = (url: string, ...headers: string[]) => {
    const { pathname, search } = new URL(url);
    return [`PUT ${pathname}${search} HTTP/1.1`, 'Host: localhost', 'Expect: 100-continue', ...headers];
  };
  const preconditionFailed = [412, 'FAILED_PRECONDITION'];

  it('show the ETag of a PUT in GraphQL and in every download', async () => {
    const { id, uploadUrl } = await create();
    expect((await find(id)).etag).toBeNull();
    const { headers } = await put(uploadUrl, 'x');
    const { etag, downloadUrl } = await find(id);
    expect(etag).toBe(headers.get('etag'));
    expect((await fetch(downloadUrl)).headers.get('etag')).toBe(etag);
    const { items } = (await api.ask(`{files(filter:{id:"${id}"}){items{etag}}}`)).files;
    expect(items).toEqual([{ etag }]);
  });

  it('with If-None-Match: * create content and never replace any', async () => {
    const { id, uploadUrl } = await create();
    expect((await put(uploadUrl, 'first', { 'if-none-match': '*' })).status).toBe(200);
    const before = await find(id);
    expect(await refusal(await put(uploadUrl, 'second', { 'if-none-match': '*' }))).toEqual(preconditionFailed);
    expect(await find(id)).toMatchObject({ status: 'done', error: null, etag: before.etag, updatedAt: before.updatedAt });
    expect(await content(id)).toBe('first');
  });

  it.each([
    ['the ETag', (etag: string) => etag, 200],
    ['a list with the ETag', (etag: string) => `"a,b" , ${etag},W/"c"`, 200],
    ['*', () => '*', 200],
    ['another ETag', () => '"abc"', 412],
    ['the ETag as a weak one', (etag: string) => `W/${etag}`, 412],
    ['the ETag without quotes', (etag: string) => etag.slice(1, -1), 400],
    ['half a list', (etag: string) => `${etag}, "abc`, 400],
    ['nothing', () => ',', 400],
  ])('by PUT with If-Match of %s', async (_, tag, status) => {
    const { id, uploadUrl, etag } = await stored('before');
    const response = await put(uploadUrl, 'after', { 'if-match': tag(etag) });
    expect(response.status).toBe(status);
    expect(await content(id)).toBe(status === 200 ? 'after' : 'before');
    expect((await find(id)).status).toBe('done');
  });

  it.each([
    ['If-Match of anything, while there is no content', { 'if-match': '*' }, false, 412],
    ['If-None-Match of the ETag', { 'if-none-match': 'ETAG' }, true, 412],
    ['If-None-Match of the ETag as a weak one', { 'if-none-match': 'W/ETAG' }, true, 412],
    ['If-None-Match of another ETag', { 'if-none-match': '"abc"' }, true, 200],
    ['If-None-Match that is malformed', { 'if-none-match': 'abc' }, true, 400],
    ['If-Unmodified-Since before the content came', { 'if-unmodified-since': LONG_AGO }, true, 412],
    ['If-Unmodified-Since after the content came', { 'if-unmodified-since': FAR_AHEAD }, true, 200],
    ['If-Unmodified-Since, while there is no content', { 'if-unmodified-since': LONG_AGO }, false, 200],
    ['If-Unmodified-Since of no date', { 'if-unmodified-since': 'yesterday 1' }, true, 200],
    [
      'If-Match, beside which If-Unmodified-Since does not count',
      { 'if-match': 'ETAG', 'if-unmodified-since': LONG_AGO },
      true,
      200,
    ],
    ['If-Match that holds and If-None-Match that does not', { 'if-match': 'ETAG', 'if-none-match': '*' }, true, 412],
    ['If-Modified-Since, which is for reading', { 'if-modified-since': FAR_AHEAD }, true, 200],
  ])('by PUT with %s', async (_, conditions, withContent, status) => {
    const { uploadUrl, etag } = withContent ? await stored('before') : { ...(await create()), etag: '' };
    const headers = Object.fromEntries(Object.entries(conditions).map(([name, value]) => [name, value.replace('ETAG', etag)]));
    expect((await put(uploadUrl, 'after', headers)).status).toBe(status);
  });

  it.each(['if-match', 'if-none-match'])(
    'let exactly one of eight concurrent PUTs with the same %s replace the content, and the others leave nothing',
    async (condition) => {
      const { id, uploadUrl, etag } = condition === 'if-match' ? await stored('before') : { ...(await create()), etag: '*' };
      const bodies = Array.from({ length: 8 }, (_, i) => String(i).repeat(200_000));
      const statuses = await Promise.all(bodies.map(async (body) => (await put(uploadUrl, body, { [condition]: etag })).status));
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
      expect(await content(id)).toBe(bodies[statuses.indexOf(200)]);
      expect(await find(id)).toMatchObject({ status: 'done', error: null });
      expect(await blobsOf(id)).toHaveLength(1);
    },
  );

  it('that cannot succeed are refused before the body is requested', async () => {
    const { uploadUrl } = await stored('before');
    for (const condition of ['If-None-Match: *', 'If-Match: "abc"', `If-Unmodified-Since: ${LONG_AGO}`]) {
      const answer = await RawHttp.answer(server.address, ...headOf(uploadUrl, condition, 'Content-Length: 5'));
      expect([condition, answer.status]).toEqual([condition, 412]);
    }
  });

  it('are refused after the body, without a change, when the content changed while it arrived', async () => {
    const { id, uploadUrl, etag } = await stored('before');
    const raw = await RawHttp.open(server.address);
    raw.send(...headOf(uploadUrl, `If-Match: ${etag}`, 'Content-Length: 4'));
    expect((await raw.answer()).status).toBe(100);
    raw.socket.write('la');
    expect((await put(uploadUrl, 'meanwhile', { 'if-match': etag })).status).toBe(200);
    raw.socket.write('te');
    expect((await raw.answer()).status).toBe(412);
    raw.socket.destroy();
    expect(await content(id)).toBe('meanwhile');
    expect(await find(id)).toMatchObject({ status: 'done', error: null });
    expect(await blobsOf(id)).toHaveLength(1);
  });

  it('are checked last, so other refusals report their own reasons', async () => {
    const { uploadUrl } = await stored('before', { contentType: 'text/plain' });
    expect((await put(uploadUrl, 'x', { 'if-none-match': '*', 'content-type': 'image/png' })).status).toBe(415);
    expect((await put(uploadUrl.replace(/signature=./, 'signature='), 'x', { 'if-none-match': '*' })).status).toBe(403);
  });

  it.each([
    ['If-Match of the ETag', { 'if-match': 'ETAG' }, 200],
    ['If-Match of a list with the ETag', { 'if-match': '"abc", ETAG' }, 200],
    ['If-Match of *', { 'if-match': '*' }, 200],
    ['If-Match of another', { 'if-match': '"abc"' }, 412],
    ['If-Match of the ETag as a weak one', { 'if-match': 'W/ETAG' }, 412],
    ['If-Match that is malformed', { 'if-match': 'abc' }, 400],
    ['If-Match of another, also where the reader has it', { 'if-match': '"abc"', 'if-none-match': 'ETAG' }, 412],
    ['If-Match and If-None-Match of the ETag', { 'if-match': 'ETAG', 'if-none-match': 'ETAG' }, 304],
    ['If-Unmodified-Since before it came', { 'if-unmodified-since': LONG_AGO }, 412],
    ['If-Unmodified-Since after it came', { 'if-unmodified-since': FAR_AHEAD }, 200],
    ['If-Unmodified-Since of no date', { 'if-unmodified-since': '2015' }, 200],
    ['If-Unmodified-Since beside If-Match', { 'if-match': 'ETAG', 'if-unmodified-since': LONG_AGO }, 200],
    ['If-None-Match that is malformed, which only costs the bytes', { 'if-none-match': 'abc' }, 200],
    ['If-Modified-Since after it came', { 'if-modified-since': FAR_AHEAD }, 304],
    ['If-Match of another and a range', { 'if-match': '"abc"', range: 'bytes=0-1' }, 412],
    ['If-Match of the ETag and a range', { 'if-match': 'ETAG', range: 'bytes=0-1' }, 206],
    ['If-Range of another and a range', { 'if-range': '"abc"', range: 'bytes=0-1' }, 200],
    ['If-Range of the ETag and a range', { 'if-range': 'ETAG', range: 'bytes=0-1' }, 206],
  ])('by GET with %s, and by HEAD as by GET without ranges', async (_, conditions, status) => {
    const { downloadUrl, etag } = await stored('12345');
    const headers = Object.fromEntries(Object.entries(conditions).map(([name, value]) => [name, value.replace('ETAG', etag)]));
    const response = await fetch(downloadUrl, { headers });
    expect([response.status, response.headers.get('etag')]).toEqual([status, status < 400 ? etag : null]);
    if (status === 412) expect(await refusal(response)).toEqual(preconditionFailed);
    expect((await fetch(downloadUrl, { method: 'HEAD', headers })).status).toBe(status === 206 ? 200 : status);
  });

  it('can be sent by pages of other origins', async () => {
    const { uploadUrl } = await create();
    const conditions = ['if-match', 'if-none-match', 'if-unmodified-since', 'content-encoding'];
    const { headers } = await fetch(uploadUrl, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': conditions.join(),
      },
    });
    for (const name of conditions) expect(headers.get('access-control-allow-headers')).toContain(name);
  });

  describe('for content in a form that is not stored', () => {
    it.each(['gzip', 'GZIP', 'br', 'identity, gzip', 'aws-chunked'])('are refused with Content-Encoding %s', async (encoding) => {
      const { id, uploadUrl } = await create();
      const response = await put(uploadUrl, 'x', { 'content-encoding': encoding });
      expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
      expect(((await response.json()) as { message: string }).message).toContain('send it uncompressed');
      expect(await find(id)).toMatchObject({ status: 'uploading', error: null });
    });

    it('are refused in parts too, before the body is requested', async () => {
      const { id, uploadUrl } = await create();
      const { uploadId } = (await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`))
        .initiateMultipartUpload;
      const input = { fileId: id, uploadId, partNumber: 1 };
      const partUrl = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
      const { generatePartUploadUrl } = await api.ask(partUrl, { input });
      for (const url of [uploadUrl, generatePartUploadUrl]) {
        const lines = headOf(url, 'Content-Encoding: gzip', 'Content-Length: 5');
        expect((await RawHttp.answer(server.address, ...lines)).status).toBe(415);
      }
    });

    it('are accepted with the encoding identity', async () => {
      const { id, uploadUrl } = await create();
      expect((await put(uploadUrl, 'plain', { 'content-encoding': 'Identity' })).status).toBe(200);
      const download = await fetch((await find(id)).downloadUrl);
      expect([download.headers.get('content-encoding'), await download.text()]).toEqual([null, 'plain']);
    });

    it('are refused as a range of the content', async () => {
      const { id, uploadUrl } = await stored('12345');
      expect(await refusal(await put(uploadUrl, 'x', { 'content-range': 'bytes 0-0/5' }))).toEqual([400, 'BAD_REQUEST']);
      expect(await content(id)).toBe('12345');
    });
  });
});
