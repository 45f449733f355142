import { randomBytes } from 'node:crypto';
import type { Api } from '../support/api.js';
import { describeOnS3, freshBucket } from '../support/s3.js';
import { TestServer } from '../support/server.js';

describeOnS3('with the public address of the store', () => {
  let server: TestServer;
  let api: Api;
  const { endpoint, accessKey, secretKey, bucket } = freshBucket();
  beforeAll(async () => {
    server = await TestServer.start({
      MINIO_ENDPOINT: endpoint,
      MINIO_PUBLIC_ENDPOINT: endpoint,
      MINIO_ACCESS_KEY: accessKey,
      MINIO_SECRET_KEY: secretKey,
      MINIO_BUCKET: bucket,
    });
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const bytesMoved = async () => {
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    return [...metrics.matchAll(/^file_content_bytes_total\{.*\} (\d+)$/gm)].map((match) => Number(match[1]));
  };
  const find = async (id: string) => (await api.ask(`{file(ID:"${id}"){status contentLength downloadUrl}}`)).file;

  it('parts go to the store and downloads come from it: this process moves no byte of them', async () => {
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

  it('a single PUT still passes through, and its disposition is bound into the way to the store', async () => {
    const { id, uploadUrl } = (await api.ask('mutation{createFile(input:{name:"b.txt"}){id uploadUrl}}')).createFile;
    const disposition = 'attachment; filename="b.txt"';
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('hello'), headers: { 'content-disposition': disposition } });
    const download = await fetch((await find(id)).downloadUrl);
    expect([download.headers.get('content-disposition'), await download.text()]).toEqual([disposition, 'hello']);
    expect(await bytesMoved()).toEqual([5]);
  });

  it('the store too gives out containers of documents as bytes to keep', async () => {
    const input = { contentType: 'multipart/x-mixed-replace; boundary=b' };
    const create = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
    const { id, uploadUrl } = (await api.ask(create, { input })).createFile;
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('hello') });
    const { url, headers } = await fetch((await find(id)).downloadUrl);
    expect(url.startsWith(endpoint)).toBe(true);
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual(['application/octet-stream', 'attachment']);
  });

  it('a way to the store never outlives its file', async () => {
    const { id, uploadUrl } = (await api.ask('mutation{createFile(input:{expiresIn:5}){id uploadUrl}}')).createFile;
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') });
    const redirect = await fetch((await find(id)).downloadUrl, { redirect: 'manual' });
    expect(Number(new URL(redirect.headers.get('location')!).searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(5);
  });
});
