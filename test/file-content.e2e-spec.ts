import { createHash, randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';

const MAX_UPLOAD_BYTES = 3_000_000;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('content of files', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start({ MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const create = async (input: object = {}) =>
    (await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', { input })).createFile as {
      id: string;
      uploadUrl: string;
    };
  const find = async (id: string) =>
    (
      await api.ask(
        `{file(ID:"${id}"){status error{code message} contentLength uploaded downloadUrl uploadUrl checksumSha256 updatedAt}}`,
      )
    ).file;
  const put = (url: string, body: Buffer | string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body: Buffer.from(body as string), headers });
  const stored = async (body: Buffer | string, input: object = {}, headers: Record<string, string> = {}) => {
    const { id, uploadUrl } = await create(input);
    expect((await put(uploadUrl, body, headers)).status).toBe(200);
    return { id, ...(await find(id)) };
  };
  const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
  const blobsOf = async (id: string) => (await server.blobKeys()).filter((key) => key.includes(`/${id}-`));

  it.each([0, 1, 65_536, 2_500_000])('is returned byte for byte: %d bytes', async (size) => {
    const bytes = randomBytes(size);
    const file = await stored(bytes, { name: 'a.bin' });
    expect(file).toMatchObject({
      status: 'done',
      uploaded: true,
      contentLength: size,
      error: null,
      checksumSha256: sha256(bytes),
    });
    const response = await fetch(file.downloadUrl);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream', 'content-length': String(size), 'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff', etag: expect.stringMatching(/^"[0-9a-f]{32}"$/), 'last-modified': expect.any(String),
    }); // prettier-ignore
    expect(response.headers.get('content-disposition')).toBeNull();
  });

  it('of type JSON or text is stored unparsed', async () => {
    for (const [contentType, body] of [
      ['application/json', '{"broken'],
      ['text/plain', 'ü\r\n'],
      ['application/x-www-form-urlencoded', 'a=%zz'],
    ]) {
      const file = await stored(body!, { contentType }, { 'content-type': contentType! });
      expect(await (await fetch(file.downloadUrl)).text()).toBe(body);
    }
  });

  it('is answered with its ETag and the given disposition, byte for byte', async () => {
    const { id, uploadUrl } = await create({ name: 'a.pdf', public: true });
    const disposition = `attachment; filename="a b.pdf"; filename*=UTF-8''%C3%BC.pdf`;
    const response = await put(uploadUrl, 'x', { 'content-disposition': disposition });
    const download = await fetch((await find(id)).downloadUrl);
    expect(download.headers.get('etag')).toBe(response.headers.get('etag'));
    expect(download.headers.get('content-disposition')).toBe(disposition);
  });

  it('with raw bytes in its disposition is answered with the same bytes', async () => {
    const { id, uploadUrl } = await create({ public: true });
    const { port, hostname, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), hostname);
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Disposition: inline; filename="\u00e9\u00ff.txt"\r\n\r\nx`;
    socket.write(Buffer.from(head, 'latin1'));
    await new Promise((done) => socket.once('data', done));
    socket.destroy();
    const { downloadUrl } = await find(id);
    const answer = await new Promise<IncomingMessage>((done) => get(downloadUrl, done));
    answer.resume();
    expect(answer.headers['content-disposition']).toBe('inline; filename="\u00e9\u00ff.txt"');
  });

  it('can be replaced with a new uploadUrl; a later download returns the new content as a whole', async () => {
    const { id, downloadUrl, updatedAt } = await stored('first');
    const { uploadUrl } = await find(id);
    expect((await put(uploadUrl, 'second one')).status).toBe(200);
    expect(await (await fetch(downloadUrl)).text()).toBe('second one');
    const after = await find(id);
    expect(after.contentLength).toBe(10);
    expect(after.updatedAt > updatedAt).toBe(true);
  });

  it('is that of one of several concurrent uploads, whole, and the others leave nothing', async () => {
    const { id } = await create();
    const { uploadUrl } = await find(id);
    const bodies = Array.from({ length: 8 }, (_, i) => Buffer.alloc(400_000, i));
    const statuses = await Promise.all(bodies.map(async (body) => (await put(uploadUrl, body)).status));
    expect(statuses).toEqual(bodies.map(() => 200));
    const content = Buffer.from(await (await fetch((await find(id)).downloadUrl)).arrayBuffer());
    expect(bodies.some((body) => body.equals(content))).toBe(true);
    expect(await blobsOf(id)).toHaveLength(1);
  });

  it('is refused at a URL that was changed, is for another file or method, or has expired', async () => {
    const { id, uploadUrl } = await create();
    const other = await create();
    const changed = (change: (url: URL) => void) => {
      const url = new URL(uploadUrl);
      change(url);
      return url.href;
    };
    const { downloadUrl } = await stored('x');
    const urls = [
      changed((url) => url.searchParams.delete('signature')),
      changed((url) => url.searchParams.set('signature', 'x'.repeat(32))),
      changed((url) => url.searchParams.set('expires', '9999999999')),
      changed((url) => (url.search = '')),
      changed((url) => url.searchParams.append('expires', '9999999999')),
      uploadUrl.replace(id, other.id),
      uploadUrl.replace(id, '../files'),
      downloadUrl,
    ];
    for (const url of urls) expect((await put(url, 'evil')).status).toBeGreaterThanOrEqual(400);
    expect(await refusal(await put(urls[0]!, 'evil'))).toEqual([403, 'FORBIDDEN']);
    expect((await fetch(uploadUrl)).status).toBe(403);
    const short = (await api.ask(`{file(ID:"${id}"){uploadUrl(expiresIn:1)}}`)).file.uploadUrl;
    while (Date.now() < Number(new URL(short).searchParams.get('expires')) * 1000)
      await new Promise((done) => setTimeout(done, 50));
    expect(await refusal(await put(short, 'late'))).toEqual([403, 'FORBIDDEN']);
    expect(await find(id)).toMatchObject({ status: 'uploading', uploaded: false });
  });

  it('must have the type of its file when a type is sent; parameters do not count', async () => {
    const { id, uploadUrl } = await create({ contentType: 'text/plain' });
    expect(await refusal(await put(uploadUrl, 'x', { 'content-type': 'image/png' }))).toEqual([415, 'BAD_USER_INPUT']);
    expect((await find(id)).status).toBe('uploading');
    expect((await put(uploadUrl, 'x', { 'content-type': 'Text/Plain; charset=utf-8' })).status).toBe(200);
  });

  it('must announce its length, up to the limit', async () => {
    const { id, uploadUrl } = await create();
    const chunked = await fetch(uploadUrl, { method: 'PUT', body: new Blob(['x']).stream(), duplex: 'half' } as RequestInit);
    expect(await refusal(chunked)).toEqual([411, 'BAD_REQUEST']);
    expect(await refusal(await put(uploadUrl, Buffer.alloc(MAX_UPLOAD_BYTES + 1)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await find(id)).toMatchObject({ status: 'uploading', error: null });
    expect((await put(uploadUrl, Buffer.alloc(MAX_UPLOAD_BYTES))).status).toBe(200);
  });

  it('that breaks off midway changes nothing and leaves nothing', async () => {
    const file = await stored('as it was');
    const url = new URL(file.uploadUrl);
    const socket = connect(Number(url.port), url.hostname);
    socket.write(
      `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n`,
    );
    await new Promise((done) => socket.once('data', done));
    await new Promise<void>((done) => socket.write(Buffer.alloc(500_000), () => done()));
    const answered = () => server.logLines.filter((line) => line.includes('"PUT"')).length;
    const answeredBefore = answered();
    socket.destroy();
    while (answered() === answeredBefore) await new Promise((done) => setTimeout(done, 10));
    expect(await blobsOf(file.id)).toHaveLength(1);
    expect(await find(file.id)).toMatchObject({ status: 'done', contentLength: 9, error: null, updatedAt: file.updatedAt });
    expect(await (await fetch(file.downloadUrl)).text()).toBe('as it was');
  });

  it('with an unexpected checksum is refused; the status becomes error, and earlier content stays', async () => {
    const right = Buffer.from('right');
    const { id, uploadUrl } = await create({ checksumSha256: sha256(right).toUpperCase() });
    expect(await refusal(await put(uploadUrl, 'wrong'))).toEqual([400, 'BAD_USER_INPUT']);
    expect(await find(id)).toMatchObject({
      status: 'error',
      uploaded: false,
      downloadUrl: null,
      error: { code: 'BAD_USER_INPUT', message: expect.stringContaining(sha256(right)) },
    });
    expect((await put(uploadUrl, right)).status).toBe(200);
    expect(await find(id)).toMatchObject({ status: 'done', error: null, uploaded: true });
    expect((await put(uploadUrl, 'wrong again')).status).toBe(400);
    const after = await find(id);
    expect(after).toMatchObject({ status: 'error', uploaded: true, contentLength: 5 });
    expect(await (await fetch(after.downloadUrl)).text()).toBe('right');
  });

  it('ends with its file: after expiresAt every URL answers 410 and every read says expired', async () => {
    const { id, uploadUrl } = await create({ expiresIn: 2, public: true });
    await put(uploadUrl, 'x');
    const { downloadUrl } = await find(id);
    const fresh = (await find(id)).uploadUrl;
    expect((await fetch(downloadUrl)).status).toBe(200);
    while ((await find(id)).status === 'done') await new Promise((done) => setTimeout(done, 50));
    expect(await find(id)).toMatchObject({
      status: 'expired',
      uploaded: false,
      downloadUrl: null,
      uploadUrl: null,
      contentLength: null,
    });
    expect(await refusal(await fetch(downloadUrl))).toEqual([410, 'NOT_FOUND']);
    expect(await refusal(await put(fresh, 'y'))).toEqual([410, 'NOT_FOUND']);
  });

  it('of a public file is read without a signature until it becomes protected', async () => {
    const { id, downloadUrl } = await stored('x', { public: true });
    expect(downloadUrl).toBe(`${server.address}/file-management/files/${id}`);
    const response = await fetch(downloadUrl);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    await api.ask(`mutation{updateFile(input:{id:"${id}",public:false}){id}}`);
    expect(await refusal(await fetch(downloadUrl))).toEqual([403, 'FORBIDDEN']);
    expect((await fetch((await find(id)).downloadUrl)).status).toBe(200);
  });

  const inert = /^sandbox; default-src 'none'; /;
  it.each([
    'text/html',
    'TEXT/HTML; charset=x',
    'image/svg+xml',
    'image/x+xml',
    'video/x+xml',
    'text/xsl',
    'application/atom+xml',
    'text/javascript',
    'application/zip',
    'text/plain; a="b,text/html"',
    'image/unheard-of',
  ])('of type %s is sandboxed, in every cacheable response', async (contentType) => {
    const { downloadUrl } = await stored('12345', { contentType });
    const whole = await fetch(downloadUrl);
    expect(whole.headers.get('content-type')).toBe(contentType);
    const unchanged = { headers: { 'if-none-match': whole.headers.get('etag')! } };
    for (const init of [{}, { method: 'HEAD' }, { headers: { range: 'bytes=1-2' } }, unchanged]) {
      const { headers } = await fetch(downloadUrl, init);
      expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
        expect.stringMatching(inert),
        'nosniff',
      ]);
    }
  });

  it.each([
    'image/png',
    'IMAGE/JPEG',
    'image/webp',
    'image/avif',
    'image/gif',
    'image/vnd.microsoft.icon',
    'audio/mpeg',
    'video/mp4',
    'video/mp4; codecs=avc1.42E01E',
    'application/pdf',
    'text/plain',
    'text/plain; charset=utf-8',
  ])('of type %s is shown inline', async (contentType) => {
    const { downloadUrl } = await stored('12345', { contentType });
    const { headers } = await fetch(downloadUrl);
    expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([null, 'nosniff']);
  });

  it.each(['multipart/x-mixed-replace; boundary=b', 'Multipart/Related', 'message/rfc822'])(
    'of type %s is sent as a download, unless a disposition was given',
    async (contentType) => {
      const head = async (headers: Record<string, string>) => {
        const { downloadUrl } = await stored('12345', { contentType }, headers);
        const answer = await fetch(downloadUrl, { method: 'HEAD' });
        expect(answer.headers.get('content-security-policy')).toMatch(inert);
        return [answer.headers.get('content-type'), answer.headers.get('content-disposition')];
      };
      expect(await head({})).toEqual(['application/octet-stream', 'attachment']);
      expect(await head({ 'content-disposition': 'inline' })).toEqual(['application/octet-stream', 'inline']);
    },
  );

  it('cannot be a service worker', async () => {
    const { downloadUrl } = await stored('x', { contentType: 'text/javascript' });
    expect(await refusal(await fetch(downloadUrl, { headers: { 'service-worker': 'script' } }))).toEqual([403, 'FORBIDDEN']);
  });

  it('is refused without revealing the file in the headers', async () => {
    const disposition = { 'content-disposition': 'attachment; filename=a.pdf' };
    const { downloadUrl } = await stored('12345', { contentType: 'application/pdf' }, disposition);
    const { status, headers } = await fetch(downloadUrl, { headers: { range: 'bytes=9-' } });
    expect([status, headers.get('content-disposition'), headers.get('etag')]).toEqual([416, null, null]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('is described by HEAD without a body', async () => {
    const { downloadUrl } = await stored('12345');
    const head = await fetch(downloadUrl, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', '']);
  });

  it('of a file that does not exist or has no content is not found', async () => {
    const unknown = `${server.address}/file-management/files/01a1fc71-ac8b-74ea-88bc-78167c5aaf33`;
    expect(await refusal(await fetch(unknown))).toEqual([404, 'NOT_FOUND']);
    const { id } = await create({ public: true });
    expect(await refusal(await fetch(`${server.address}/file-management/files/${id}`))).toEqual([404, 'NOT_FOUND']);
    expect((await fetch(`${server.address}/file-management/files/..%2f..%2fetc%2fpasswd`)).status).toBe(404);
  });

  it('can be sent and read by pages of other origins', async () => {
    const { uploadUrl } = await create();
    const origin = 'https://app.example';
    const preflight = await fetch(uploadUrl, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type,content-disposition',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('content-disposition');
    const response = await put(uploadUrl, 'x', { origin });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('etag');
  });

  it('is counted in bytes, and no signature reaches the log', async () => {
    const { downloadUrl } = await stored('12345');
    await (await fetch(downloadUrl)).text();
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    expect(metrics).toMatch(/file_content_bytes_total\{direction="in"\} \d+/);
    expect(metrics).toMatch(/file_content_bytes_total\{direction="out"\} \d+/);
    const lines = server.logLines.join('');
    expect(lines).not.toContain('signature');
    expect(lines).not.toContain('expires=');
  });

  it('allows no other method', async () => {
    const { uploadUrl } = await create();
    for (const method of ['POST', 'DELETE', 'PATCH']) expect((await fetch(uploadUrl, { method })).status).toBe(405);
  });
});
