// @nightly postgresql: no SQL of its own
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
// Past the API: a run of the job without its pause.
import { FileReconciliationService } from '../src/modules/file-management/expiry/file-reconciliation.service.js';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const MIB = 1024 * 1024;
const PART = randomBytes(5 * MIB);
const COMPLETE = `mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){status contentLength}}`;

describe('parts of a tenant with a limit of 12 MiB', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start({ TENANT_MAX_STORED_BYTES: String(12 * MIB) });
  });
  beforeEach(async () => {
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const begin = async () => {
    const { createFile } = await api.ask('mutation{createFile{id uploadUrl}}');
    const { initiateMultipartUpload } = await api.ask(
      `mutation{initiateMultipartUpload(input:{fileId:"${createFile.id}"}){uploadId}}`,
    );
    return { fileId: createFile.id as string, uploadId: initiateMultipartUpload.uploadId as string };
  };
  const urlOf = async (upload: object, partNumber: number) =>
    (
      await api.ask('mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}', {
        input: { ...upload, partNumber },
      })
    ).generatePartUploadUrl as string;
  const send = async (upload: object, partNumber: number, body: Buffer) =>
    fetch(await urlOf(upload, partNumber), { method: 'PUT', body: body as never });
  const put = async (bytes: number) => {
    const { createFile } = await api.ask('mutation{createFile{uploadUrl}}');
    return (await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.alloc(bytes) })).status;
  };
  const abort = (input: object) =>
    api.ask('mutation($input:AbortMultipartUploadInput!){abortMultipartUpload(input:$input){id}}', { input });

  it('count as they arrive, with those of other uploads and with files, and no longer once aborted', async () => {
    const [one, two] = [await begin(), await begin()];
    expect((await send(one, 1, PART)).status).toBe(200);
    expect((await send(two, 1, PART)).status).toBe(200);
    const refused = await send(one, 2, PART);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      {
        code: 'PAYLOAD_TOO_LARGE',
        message: `The tenant may store at most ${12 * MIB} bytes, has ${10 * MIB}, and this adds ${5 * MIB}; delete some files first`,
      },
    ]);
    expect(await put(2 * MIB + 1)).toBe(413);
    expect((await send(one, 1, PART)).status).toBe(200); // again, in place of the earlier part
    expect((await api.ask('{storageUsed{fileSize}}')).storageUsed.fileSize).toBe(0);
    await abort(two);
    expect((await send(one, 2, PART)).status).toBe(200);
  });

  it('count once when they become content', async () => {
    const upload = await begin();
    const ETag = (await send(upload, 1, PART)).headers.get('etag');
    const input = { ...upload, etags: [{ partNumber: 1, ETag }] };
    const { completeMultipartUpload } = await api.ask(COMPLETE, { input });
    expect(completeMultipartUpload).toEqual({ status: 'done', contentLength: PART.length });
    expect(await put(7 * MIB + 1)).toBe(413);
    expect(await put(7 * MIB)).toBe(200);
    expect(await server.app.get(FileReconciliationService, { strict: false }).reconcile({ dryRun: true })).toMatchObject({
      wrongUsage: [],
    });
  });

  it('count while they arrive, and no longer when they break off', async () => {
    const upload = await begin();
    const url = new URL(await urlOf(upload, 1));
    const socket = connect(Number(url.port), url.hostname);
    socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${11 * MIB}\r\n\r\nbegin`);
    const began = allRowsOf('no API shows a part before all of it has arrived', server).multipartPart;
    await until(async () => (await began.count({ where: { uploadId: upload.uploadId } })) === 1);
    expect(await put(2 * MIB)).toBe(413);
    socket.destroy();
    await until(async () => (await put(12 * MIB)) === 200);
  });

  it('count at once on another node', async () => {
    const database = allRowsOf('no API shows the bytes that parts are counted with', server);
    const tenantId = await server.tenantIdOf(api);
    const upload = await begin();
    expect((await send(upload, 1, PART)).status).toBe(200);
    const part = await database.multipartPart.findFirstOrThrow({ where: { uploadId: upload.uploadId } });
    const sums = await database.fileUsage.aggregate({ where: { tenantId }, _sum: { partSize: true } });
    expect([part.sizeBytes, sums._sum.partSize]).toEqual([BigInt(PART.length), BigInt(PART.length)]);
    await api.ask(`mutation{deleteFile(id:"${upload.fileId}"){id}}`);
    const after = await database.fileUsage.aggregate({ where: { tenantId }, _sum: { partSize: true } });
    expect(after._sum.partSize).toBe(0n);
  });
});
