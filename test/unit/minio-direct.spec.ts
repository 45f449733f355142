import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { FileExpiry } from '../../src/modules/file-management/expiry/file-expiry.job.js';
import type { Api } from '../support/api.js';
import { allRowsOf } from '../support/behind-the-api.js';
import { RawHttp } from '../support/raw-http.js';
import { describeOnS3, freshBucket } from '../support/s3.js';
import { TestServer } from '../support/server.js';
import { until } from '../support/websockets.js';

describeOnS3('with the public address of the store', () => {
  let server: TestServer;
  let api: Api;
  const { endpoint, accessKey, secretKey, bucket } = freshBucket();
  beforeAll(async () => {
    server = await TestServer.start({
      S3_ENDPOINT: endpoint,
      S3_PUBLIC_ENDPOINT: endpoint,
      S3_ACCESS_KEY: accessKey,
      S3_SECRET_KEY: secretKey,
      S3_BUCKET: bucket,
    });
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const bytesMoved = async () => {
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    return [...metrics.matchAll(/^file_content_bytes_total\{.*\} (\d+)$/gm)].map((match) => Number(match[1]));
  };
  /** Returns the raw bytes of a header, which fetch would decode as UTF-8. Follows redirects to the store. */
  const got = async (url: string): Promise<IncomingMessage> => {
    const answer = await new Promise<IncomingMessage>((done) => get(url, done));
    answer.resume();
    return answer.statusCode === 307 ? got(answer.headers.location!) : answer;
  };
  const find = async (id: string) => (await api.ask(`{file(ID:"${id}"){status contentLength downloadUrl}}`)).file;

  it('sends parts to the store and downloads from it, without passing content through this process', async () => {
    const [first, last] = [randomBytes(5 * 1024 * 1024), randomBytes(100)];
    const { id } = (await api.ask('mutation{createFile(input:{name:"a.pdf"}){id}}')).createFile;
    const { uploadId } = (await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`))
      .initiateMultipartUpload;
    const etags = [];
    for (const [index, body] of [first, last].entries()) {
      const input = { fileId: id, uploadId, partNumber: index + 1 };
      const { generatePartUploadUrl: url } = await api.ask(
        'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}',
        {
          input,
        },
      );
      expect(url.startsWith(endpoint)).toBe(true);
      const response = await fetch(url, { method: 'PUT', body: body as never });
      etags.push({ partNumber: index + 1, ETag: response.headers.get('etag') });
    }
    const complete =
      'mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){status contentLength}}';
    const { completeMultipartUpload } = await api.ask(complete, { input: { fileId: id, uploadId, etags } });
    expect(completeMultipartUpload).toEqual({ status: 'done', contentLength: first.length + last.length });

    const { downloadUrl } = await find(id);
    expect(downloadUrl.startsWith(server.address)).toBe(true);
    const redirect = await fetch(downloadUrl, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([307, 'private, no-store']);
    const target = new URL(redirect.headers.get('location')!);
    expect(target.origin).toBe(endpoint);
    expect(Number(target.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(60);
    const download = await fetch(downloadUrl);
    expect(download.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await download.arrayBuffer()).equals(Buffer.concat([first, last]))).toBe(true);
    const range = await fetch(downloadUrl, { headers: { range: `bytes=${first.length - 1}-${first.length}` } });
    expect([range.status, (await range.arrayBuffer()).byteLength]).toEqual([206, 2]);
    const head = await fetch(downloadUrl, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(first.length + last.length)]);
    expect(await bytesMoved()).toEqual([]);
  });

  it('passes a single PUT through, and signs its disposition into the URL of the store', async () => {
    const { id, uploadUrl } = (await api.ask('mutation{createFile(input:{name:"b.txt"}){id uploadUrl}}')).createFile;
    const disposition = 'attachment; filename="b.txt"';
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('hello'), headers: { 'content-disposition': disposition } });
    const download = await fetch((await find(id)).downloadUrl);
    expect([download.headers.get('content-disposition'), await download.text()]).toEqual([disposition, 'hello']);
    expect(await bytesMoved()).toEqual([5]);
  });

  it('returns a disposition of raw UTF-8, or of other bytes, unchanged', async () => {
    for (const name of ['Müller 日本.txt', '\u00e9\u00ff.txt']) {
      const { id, uploadUrl } = (await api.ask('mutation{createFile{id uploadUrl}}')).createFile;
      const { pathname, search } = new URL(uploadUrl);
      const bytes = Buffer.from(name, name.startsWith('M') ? 'utf8' : 'latin1').toString('latin1');
      const disposition = `attachment; filename="${bytes}"`;
      const head = [`PUT ${pathname}${search} HTTP/1.1`, 'Host: x', `Content-Disposition: ${disposition}`, 'Content-Length: 0'];
      expect((await RawHttp.answer(server.address, ...head)).status).toBe(200);
      const { headers } = await got((await find(id)).downloadUrl);
      expect(headers['content-disposition']).toBe(disposition);
    }
  });

  it('applies a condition the same whichever of the two serves the content', async () => {
    const { id, uploadUrl } = (await api.ask('mutation{createFile(input:{name:"c.txt"}){id uploadUrl}}')).createFile;
    const put = await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('hello') });
    const etag = put.headers.get('etag')!;
    const { downloadUrl } = await find(id);
    const status = async (headers: Record<string, string>) => (await fetch(downloadUrl, { headers })).status;
    const longAgo = 'Fri, 02 Jan 2015 03:04:05 GMT';
    expect(await status({ 'if-match': etag })).toBe(200);
    expect(await status({ 'if-match': etag, range: 'bytes=0-1' })).toBe(206);
    expect(await status({ 'if-match': '"abc"' })).toBe(412);
    expect(await status({ 'if-unmodified-since': longAgo })).toBe(412);
    expect(await status({ 'if-unmodified-since': new Date(Date.now() + 60_000).toUTCString() })).toBe(200);
    expect(await status({ 'if-modified-since': longAgo })).toBe(200);
    expect(await status({ 'if-none-match': etag })).toBe(304);
    const ofStore = (await fetch(downloadUrl)).headers.get('etag')!;
    expect(await status({ 'if-none-match': ofStore })).toBe(304);
  });

  it('serves public files with their Cache-Control from the store too', async () => {
    const input = { public: true, cacheControl: 'public, max-age=60' };
    const create = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
    const { id, uploadUrl } = (await api.ask(create, { input })).createFile;
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('hello') });
    const redirect = await fetch((await find(id)).downloadUrl, { redirect: 'manual' });
    const location = new URL(redirect.headers.get('location')!);
    expect(location.searchParams.get('response-cache-control')).toBe('public, max-age=60');
    expect(redirect.headers.get('cache-control')).toBe('private, no-store');
  });

  it('serves document containers as attachments from the store too', async () => {
    const input = { contentType: 'multipart/x-mixed-replace; boundary=b' };
    const create = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
    const { id, uploadUrl } = (await api.ask(create, { input })).createFile;
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('hello') });
    const { url, headers } = await fetch((await find(id)).downloadUrl);
    expect(url.startsWith(endpoint)).toBe(true);
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual(['application/octet-stream', 'attachment']);
  });

  it('signs no URL of the store that outlives its file', async () => {
    const { id, uploadUrl } = (await api.ask('mutation{createFile(input:{expiresIn:5}){id uploadUrl}}')).createFile;
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') });
    const redirect = await fetch((await find(id)).downloadUrl, { redirect: 'manual' });
    expect(Number(new URL(redirect.headers.get('location')!).searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(5);
  });

  it('counts parts against the limit of their tenant once the store lists them: at completion, and every few minutes', async () => {
    const settings = {
      S3_ENDPOINT: endpoint,
      S3_PUBLIC_ENDPOINT: endpoint,
      S3_ACCESS_KEY: accessKey,
      S3_SECRET_KEY: secretKey,
      S3_BUCKET: freshBucket().bucket,
      TENANT_MAX_STORED_BYTES: String(8 * 1024 * 1024),
    };
    const limited = await TestServer.start(settings);
    const files = await limited.api('file-management');
    const begin = async () => {
      const { id } = (await files.ask('mutation{createFile{id}}')).createFile;
      const { initiateMultipartUpload } = await files.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`);
      return { fileId: id as string, uploadId: initiateMultipartUpload.uploadId as string };
    };
    const partUrl = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    const send = async (upload: object, partNumber: number) => {
      const url = (await files.ask(partUrl, { input: { ...upload, partNumber } })).generatePartUploadUrl;
      const response = await fetch(url, { method: 'PUT', body: randomBytes(5 * 1024 * 1024) as never });
      return { partNumber, ETag: response.headers.get('etag') };
    };
    const complete = 'mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){status}}';

    const [one, two] = [await begin(), await begin()];
    const etags = [await send(one, 1), await send(one, 2)];
    const refused = await files.refusal(complete, { input: { ...one, etags } });
    expect(refused).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('may store at most 8388608 bytes'),
    });
    expect((await files.ask(`{file(ID:"${one.fileId}"){status}}`)).file.status).toBe('error');
    expect((await files.refusal(complete, { input: { ...one, etags } })).code).toBe('NOT_FOUND');

    await send(two, 1);
    await send(two, 2);
    const database = allRowsOf('only time makes the last listing of parts old', limited);
    await database.multipartUpload.updateMany({ data: { partsListedAt: new Date(Date.now() - 3_600_000) } });
    await limited.app.get(FileExpiry, { strict: false }).expire();
    await until(async () => {
      const { errors } = await files.send(partUrl, { input: { ...two, partNumber: 3 } });
      return errors?.[0]?.extensions.code === 'PAYLOAD_TOO_LARGE';
    });
    const { uploadUrl } = (await files.ask('mutation{createFile{uploadUrl}}')).createFile;
    expect((await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') })).status).toBe(413);
    await limited.stop();
  });
});
