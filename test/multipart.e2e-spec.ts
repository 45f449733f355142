import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
// Past the API: a run of the sweeper without its pause.
import { FileExpiry } from '../src/modules/file-management/expiry/file-expiry.job.js';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

const MIB = 1024 * 1024;
const MAX_UPLOAD_BYTES = 12 * MIB;
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest();
const COMPLETE = `mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){id status contentLength checksumSha256 error{code}}}`;

describe('content uploaded in parts', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start({ MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const first = randomBytes(5 * MIB);
  const last = randomBytes(1000);

  const begin = async (input: object = {}) => {
    const { createFile } = await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id}}', { input });
    const { initiateMultipartUpload } = await api.ask(
      `mutation{initiateMultipartUpload(input:{fileId:"${createFile.id}"}){uploadId fileId parts{partNumber}}}`,
    );
    expect(initiateMultipartUpload).toEqual({ uploadId: expect.any(String), fileId: createFile.id, parts: [] });
    return { fileId: createFile.id as string, uploadId: initiateMultipartUpload.uploadId as string };
  };
  const urlOf = async (upload: { fileId: string; uploadId: string }, partNumber: number, expiresIn?: number) =>
    (
      await api.ask('mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}', {
        input: { ...upload, partNumber, expiresIn },
      })
    ).generatePartUploadUrl as string;
  const send = async (upload: { fileId: string; uploadId: string }, partNumber: number, bytes: Buffer) => {
    const response = await fetch(await urlOf(upload, partNumber), { method: 'PUT', body: bytes as never });
    expect(response.status).toBe(200);
    expect(response.headers.get('etag')).toBe(`"${md5(bytes).toString('hex')}"`);
    return { partNumber, ETag: response.headers.get('etag')! };
  };
  const find = async (id: string) =>
    (await api.ask(`{file(ID:"${id}"){status error{code message} contentLength uploaded downloadUrl checksumSha256}}`)).file;
  const download = async (id: string) => Buffer.from(await (await fetch((await find(id)).downloadUrl)).arrayBuffer());

  const receivedBytes = async () => {
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    return /^file_content_bytes_total\{direction="in"\} (\d+)/m.exec(metrics)?.[1];
  };

  it('is visible, whole, once it is completed and not before', async () => {
    const upload = await begin({ name: 'film.mp4' });
    const etags = await Promise.all([send(upload, 2, last), send(upload, 1, first)]);
    etags.reverse();
    expect(await find(upload.fileId)).toMatchObject({ status: 'uploading', uploaded: false });
    const { completeMultipartUpload } = await api.ask(COMPLETE, { input: { ...upload, etags } });
    expect(completeMultipartUpload).toEqual({
      id: upload.fileId,
      status: 'done',
      contentLength: first.length + last.length,
      checksumSha256: null,
      error: null,
    });
    expect((await download(upload.fileId)).equals(Buffer.concat([first, last]))).toBe(true);
    const head = await fetch((await find(upload.fileId)).downloadUrl, { method: 'HEAD' });
    const digest = createHash('md5')
      .update(Buffer.concat([md5(first), md5(last)]))
      .digest('hex');
    expect(head.headers.get('etag')).toBe(`"${digest}-2"`);
    expect((await api.ask(COMPLETE, { input: { ...upload, etags } })).completeMultipartUpload).toEqual(completeMultipartUpload);
    expect(
      (await api.ask(`{multipartUpload(fileId:"${upload.fileId}",uploadId:"${upload.uploadId}"){uploadId}}`)).multipartUpload,
    ).toBeNull();
    expect(await api.refusal(COMPLETE, { input: { ...upload, etags: etags.slice(0, 1) } })).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  it('is served in ranges across its parts', async () => {
    const upload = await begin({ public: true });
    const etags = [await send(upload, 1, first), await send(upload, 2, last)];
    await api.ask(COMPLETE, { input: { ...upload, etags } });
    const whole = Buffer.concat([first, last]);
    const { downloadUrl } = await find(upload.fileId);
    for (const [start, end] of [[0, 0], [first.length - 1, first.length], [first.length, whole.length - 1], [100, first.length + 99]] as const) {
      const response = await fetch(downloadUrl, { headers: { range: `bytes=${start}-${end}` } });
      expect([response.status, response.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${whole.length}`]);
      expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(start, end + 1))).toBe(true);
    } // prettier-ignore
  });

  it('can be resumed: arrived parts are listed, and each can be sent again', async () => {
    const upload = await begin();
    await send(upload, 7, Buffer.from('wrong'));
    await send(upload, 7, last);
    await send(upload, 3, first);
    const { multipartUpload } = await api.ask(
      `{multipartUpload(fileId:"${upload.fileId}",uploadId:"${upload.uploadId}"){uploadId fileId createdAt parts{partNumber ETag size}}}`,
    );
    expect(multipartUpload.parts).toEqual([
      { partNumber: 3, ETag: `"${md5(first).toString('hex')}"`, size: first.length },
      { partNumber: 7, ETag: `"${md5(last).toString('hex')}"`, size: last.length },
    ]);
    const etags = multipartUpload.parts.map(({ partNumber, ETag }: { partNumber: number; ETag: string }) => ({
      partNumber,
      ETag: ETag.replaceAll('"', ''),
    }));
    await api.ask(COMPLETE, { input: { ...upload, etags } });
    expect((await download(upload.fileId)).equals(Buffer.concat([first, last]))).toBe(true);
  });

  it('is refused with the number of the wrong part, and can still be completed', async () => {
    const upload = await begin();
    const one = await send(upload, 1, first);
    const small = await send(upload, 2, last);
    const three = await send(upload, 3, last);
    const refused = async (etags: object[], field: string, message: RegExp) =>
      expect(await api.refusal(COMPLETE, { input: { ...upload, etags } })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field,
        message: expect.stringMatching(message),
      });
    await refused([], 'input.etags', /1 to 10000/);
    await refused([{ ...one, ETag: '"0"' }], 'input.etags.0.ETag', /the ETag of part 1$/);
    await refused([one, { partNumber: 9, ETag: three.ETag }], 'input.etags.1.partNumber', /part 9 has not arrived/);
    await refused([three, one], 'input.etags.1.partNumber', /greater than the previous part number/);
    await refused([one, one], 'input.etags.1.partNumber', /greater than the previous part number/);
    await refused(
      [one, small, three],
      'input.etags.1.partNumber',
      /part 2 has 1000 bytes; each part except the last needs at least 5242880/,
    );
    expect((await find(upload.fileId)).status).toBe('uploading');
    await api.ask(COMPLETE, { input: { ...upload, etags: [one, three] } });
    expect((await download(upload.fileId)).length).toBe(first.length + last.length);
  });

  it('over MAX_UPLOAD_BYTES in total is refused with 413 as it arrives; earlier parts can be completed', async () => {
    const upload = await begin();
    const etags = [await send(upload, 1, first), await send(upload, 2, first)];
    const refused = await fetch(await urlOf(upload, 3), { method: 'PUT', body: first as never });
    expect([refused.status, await refused.json()]).toEqual([
      413,
      {
        code: 'PAYLOAD_TOO_LARGE',
        message: `The parts have ${3 * first.length} bytes in total; at most ${MAX_UPLOAD_BYTES} are allowed`,
      },
    ]);
    await send(upload, 2, first); // again, in place of the earlier part
    etags.push(await send(upload, 3, last));
    const { completeMultipartUpload } = await api.ask(COMPLETE, { input: { ...upload, etags } });
    expect(completeMultipartUpload).toMatchObject({ status: 'done', contentLength: 2 * first.length + last.length });
  });

  it('over MAX_UPLOAD_BYTES in total is refused even when its parts arrive concurrently', async () => {
    const upload = await begin();
    const urls = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => urlOf(upload, number)));
    const answers = await Promise.all(
      urls.map((url) => fetch(url, { method: 'PUT', body: first as never }).catch(() => undefined)),
    );
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(2);
  });

  it('is compared with the expected checksum', async () => {
    const whole = Buffer.concat([first, last]);
    const checksumSha256 = createHash('sha256').update(whole).digest('hex');
    const right = await begin({ checksumSha256 });
    const etags = [await send(right, 1, first), await send(right, 2, last)];
    expect((await api.ask(COMPLETE, { input: { ...right, etags } })).completeMultipartUpload).toMatchObject({
      status: 'done',
      checksumSha256,
    });
    const wrong = await begin({ checksumSha256 });
    const other = [await send(wrong, 1, last)];
    expect(await api.refusal(COMPLETE, { input: { ...wrong, etags: other } })).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await find(wrong.fileId)).toMatchObject({ status: 'error', uploaded: false });
    expect((await server.blobKeys()).filter((key) => key.includes(wrong.fileId))).toEqual([]);
  });

  it('is the same when it is completed several times concurrently', async () => {
    const upload = await begin();
    const etags = [await send(upload, 1, first), await send(upload, 2, last)];
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.send(COMPLETE, { input: { ...upload, etags } })));
    for (const { data, errors } of answers) expect([errors, data.completeMultipartUpload.status]).toEqual([undefined, 'done']);
    expect((await download(upload.fileId)).equals(Buffer.concat([first, last]))).toBe(true);
  });

  it('cannot be completed while a part is arriving, and can be afterwards', async () => {
    const upload = await begin();
    const etags = [await send(upload, 1, first), await send(upload, 2, last)];
    const late = request(await urlOf(upload, 1), { method: 'PUT', headers: { 'content-length': first.length } });
    const answered = new Promise<number>((resolve) => late.once('response', ({ statusCode }) => resolve(statusCode!)));
    const before = await receivedBytes();
    late.write(first.subarray(0, MIB));
    while ((await receivedBytes()) === before) await new Promise((resolve) => setImmediate(resolve));
    expect(await api.refusal(COMPLETE, { input: { ...upload, etags } })).toMatchObject({ code: 'CONFLICT' });
    late.end(first.subarray(MIB));
    expect(await answered).toBe(200);
    await api.ask(COMPLETE, { input: { ...upload, etags } });
    expect((await download(upload.fileId)).equals(Buffer.concat([first, last]))).toBe(true);
  });

  it('has exactly the named parts, or is refused, when a part is sent again during completion', async () => {
    for (let round = 0; round < 5; round++) {
      const upload = await begin();
      const etags = [await send(upload, 1, first), await send(upload, 2, last)];
      const url = await urlOf(upload, 1);
      const [completed, sentAgain] = await Promise.all([
        api.send(COMPLETE, { input: { ...upload, etags } }),
        fetch(url, { method: 'PUT', body: randomBytes(5 * MIB) as never }),
      ]);
      expect([200, 404, 409]).toContain(sentAgain.status);
      if (completed.errors) {
        expect(completed.errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
        expect((await find(upload.fileId)).uploaded).toBe(false);
      } else expect((await download(upload.fileId)).equals(Buffer.concat([first, last]))).toBe(true);
    }
  });

  it('is removed when aborted; earlier content stays', async () => {
    const upload = await begin();
    const { uploadUrl } = (await api.ask(`{file(ID:"${upload.fileId}"){uploadUrl}}`)).file;
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('before') });
    const url = await urlOf(upload, 1);
    await send(upload, 1, last);
    const { abortMultipartUpload } = await api.ask(
      'mutation($input:AbortMultipartUploadInput!){abortMultipartUpload(input:$input){id status}}',
      { input: upload },
    );
    expect(abortMultipartUpload).toEqual({ id: upload.fileId, status: 'done' });
    expect((await fetch(url, { method: 'PUT', body: Buffer.from('late') })).status).toBe(404);
    expect((await api.refusal(COMPLETE, { input: { ...upload, etags: [{ partNumber: 1, ETag: 'x' }] } })).code).toBe('NOT_FOUND');
    expect((await download(upload.fileId)).toString()).toBe('before');
  });

  it('is removed with its file, and after 7 days', async () => {
    const deleted = await begin();
    const old = await begin();
    await send(deleted, 1, last);
    await send(old, 1, last);
    await api.ask(`mutation{deleteFile(id:"${deleted.fileId}"){id}}`);
    const database = allRowsOf('no API shows the upload of a deleted file or makes one old', server);
    expect(await database.multipartUpload.count({ where: { fileId: deleted.fileId } })).toBe(0);
    await database.multipartUpload.update({
      where: { id: old.uploadId },
      data: { createdAt: new Date(Date.now() - 7 * 86_400_000 - 1000) },
    });
    await server.app.get(FileExpiry, { strict: false }).expire();
    expect(
      (await api.ask(`{multipartUpload(fileId:"${old.fileId}",uploadId:"${old.uploadId}"){uploadId}}`)).multipartUpload,
    ).toBeNull();
    expect((await find(old.fileId)).status).toBe('uploading');
  });

  it('requires a file, an upload and a part number that belong together', async () => {
    const upload = await begin();
    const foreign = await server.api('file-management');
    const unknown = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';
    const url = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    expect(await api.refusal('mutation{initiateMultipartUpload(input:{}){uploadId}}')).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.fileId',
    });
    expect((await api.refusal(`mutation{initiateMultipartUpload(input:{fileId:"${unknown}"}){uploadId}}`)).code).toBe(
      'NOT_FOUND',
    );
    for (const partNumber of [0, -1, 10_001]) {
      expect(await api.refusal(url, { input: { ...upload, partNumber } })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.partNumber',
      });
    }
    expect(await api.refusal(url, { input: { ...upload, partNumber: 1, expiresIn: 0 } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.expiresIn',
    });
    expect((await api.refusal(url, { input: { ...upload, uploadId: unknown, partNumber: 1 } })).code).toBe('NOT_FOUND');
    expect((await foreign.refusal(url, { input: { ...upload, partNumber: 1 } })).code).toBe('NOT_FOUND');
    expect((await foreign.refusal(COMPLETE, { input: { ...upload, etags: [{ partNumber: 1, ETag: 'x' }] } })).code).toBe(
      'NOT_FOUND',
    );
    expect(
      (await foreign.ask(`{multipartUpload(fileId:"${upload.fileId}",uploadId:"${upload.uploadId}"){uploadId}}`)).multipartUpload,
    ).toBeNull();
  });

  it('is refused at a URL changed to another part, and without its length', async () => {
    const upload = await begin();
    const url = await urlOf(upload, 1);
    const other = url.replace(/\/1\?/, '/2?');
    expect((await fetch(other, { method: 'PUT', body: Buffer.from('x') })).status).toBe(403);
    const chunked = await fetch(url, { method: 'PUT', body: new Blob(['x']).stream(), duplex: 'half' } as RequestInit);
    expect(chunked.status).toBe(411);
  });
});
