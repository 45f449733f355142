// @nightly postgresql: no SQL of its own
import { randomUUID } from 'node:crypto';
import type { Api } from './support/api.js';
import { type RawAnswer, RawHttp } from './support/raw-http.js';
import { TestServer } from './support/server.js';

const FILES = 'https://files.example.com';
const HOST = 'files.example.com';

describe('a server with FILES_URL', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start({ FILES_URL: `${FILES}:443/`, TRUST_PROXY: '127.0.0.1,::1' });
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const at = (host: string, target: string, method = 'GET', ...headers: string[]): Promise<RawAnswer> =>
    RawHttp.answer(server.address, `${method} ${target} HTTP/1.1`, `Host: ${host}`, 'Content-Length: 0', ...headers);
  const pathOf = (url: string) => url.slice(FILES.length);
  const create = async () =>
    (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl}}')).createFile as {
      id: string;
      uploadUrl: string;
    };
  const stored = async () => {
    const { id, uploadUrl } = await create();
    expect((await at(HOST, pathOf(uploadUrl), 'PUT')).status).toBe(200);
    return (await api.ask(`{file(ID:"${id}"){downloadUrl uploadUrl}}`)).file as { downloadUrl: string; uploadUrl: string };
  };

  it('starts every generated URL of content with it: uploads, downloads and parts', async () => {
    const { downloadUrl, uploadUrl } = await stored();
    expect(downloadUrl).toMatch(/^https:\/\/files\.example\.com\/file-management\/files\//);
    expect(uploadUrl).toMatch(/^https:\/\/files\.example\.com\/file-management\/files\//);
    const { id } = await create();
    const { initiateMultipartUpload } = await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`);
    const input = { fileId: id, uploadId: initiateMultipartUpload.uploadId, partNumber: 1 };
    const sign = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    expect((await api.ask(sign, { input })).generatePartUploadUrl).toMatch(/^https:\/\/files\.example\.com\/file-management\//);
  });

  it('serves content there, whatever the case and port of the host, and nowhere else', async () => {
    const target = pathOf((await stored()).downloadUrl);
    for (const host of [HOST, 'FILES.Example.com', `${HOST}:443`]) expect(await at(host, target)).toMatchObject({ status: 200 });
    for (const host of ['localhost', `${HOST}:80`, `x.${HOST}`, `${HOST}.`, 'example.com', '']) {
      expect(await at(host, target)).toMatchObject({ status: 404, body: expect.stringContaining('"NOT_FOUND"') });
    }
    expect(await at('localhost', target, 'OPTIONS')).toMatchObject({ status: 404 });
    expect(await at('localhost', target, 'POST')).toMatchObject({ status: 404 });
    expect(await at('localhost', pathOf((await create()).uploadUrl), 'PUT')).toMatchObject({ status: 404 });
    expect(await at(HOST, target, 'OPTIONS')).toMatchObject({ status: 204 });
    expect(await at(HOST, target, 'POST')).toMatchObject({ status: 405 });
  });

  it('uses the host that a trusted proxy reports', async () => {
    const target = pathOf((await stored()).downloadUrl);
    expect(await at('10.0.0.1:3000', target, 'GET', `X-Forwarded-Host: ${HOST}`)).toMatchObject({ status: 200 });
    expect(await at(HOST, target, 'GET', 'X-Forwarded-Host: api.example.com')).toMatchObject({ status: 404 });
  });

  it('serves nothing but content there', async () => {
    const targets = ['/health/live', '/health/ready', '/metrics', '/email/graphql', '/email/identities/verify', '/?token=x'];
    for (const target of [...targets, '/document-log/export', `/${randomUUID()}`]) {
      expect([target, (await at(HOST, target, 'GET', 'Accept: text/html')).status]).toEqual([target, 404]);
      expect([target, (await at(HOST, target, 'POST', `x-api-key: ${api.key}`)).status]).toEqual([target, 404]);
    }
    expect(await at('localhost', '/health/live')).toMatchObject({ status: 200 });
  });

  it('opens no WebSocket there', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    expect(await at(HOST, '/?token=x', 'GET', ...upgrade, key)).toMatchObject({ status: 404 });
    expect(await at('localhost', '/?token=x', 'GET', ...upgrade, key)).toMatchObject({ status: 101 });
  });
});

it('a server without FILES_URL serves content and everything else on every host', async () => {
  const server = await TestServer.start();
  const api = await server.api('file-management');
  const { uploadUrl } = (await api.ask('mutation{createFile{uploadUrl}}')).createFile;
  expect(uploadUrl).toContain(`${server.address}/file-management/files/`);
  const target = new URL(uploadUrl).pathname + new URL(uploadUrl).search;
  const put = await RawHttp.answer(server.address, `PUT ${target} HTTP/1.1`, 'Host: any.example', 'Content-Length: 0');
  expect(put.status).toBe(200);
  await server.stop();
});
