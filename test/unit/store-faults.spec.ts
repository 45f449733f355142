import type { Api } from '../support/api.js';
import { describeOnS3, FaultyProxy, freshBucket } from '../support/s3.js';
import { TestServer } from '../support/server.js';

describeOnS3('a store that cannot be reached', () => {
  let proxy: FaultyProxy;
  let server: TestServer;
  let api: Api;
  const bucket = freshBucket();
  beforeAll(async () => {
    proxy = await FaultyProxy.to(bucket.endpoint);
    server = await TestServer.start({
      S3_ENDPOINT: proxy.endpoint,
      S3_ACCESS_KEY: bucket.accessKey,
      S3_SECRET_KEY: bucket.secretKey,
      S3_BUCKET: bucket.bucket,
    });
    await server.ready();
    api = await server.api('file-management');
  });
  afterAll(async () => {
    await server.stop();
    await proxy.close();
  });

  const create = async () => (await api.ask('mutation{createFile(input:{}){id uploadUrl}}')).createFile;
  const put = async (url: string, text: string) => {
    const response = await fetch(url, { method: 'PUT', body: Buffer.from(text) });
    return { status: response.status, body: await response.text() };
  };
  const find = async (id: string) => (await api.ask(`{file(ID:"${id}"){status contentLength uploaded downloadUrl}}`)).file;
  const ready = async () => {
    const [node, service] = await Promise.all(
      ['', '/file-management'].map((path) => fetch(`${server.address}/health/ready${path}`)),
    );
    return { ...((await node!.json()) as object), node: node!.status, service: service!.status };
  };

  const begin = (id: string) => api.refusal(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`);
  const notReady = {
    node: 200,
    service: 503,
    status: 'degraded',
    checks: { database: 'ok', 'blob store': 'unavailable' },
    services: { 'file-management': 'unavailable', 'document-rendering': 'ok', 'document-log': 'ok', email: 'degraded' },
  };

  it.each([
    ['is down', () => proxy.close(), () => proxy.open()],
    ['breaks off every connection', () => (proxy.toStore = () => 'cut'), () => (proxy.toStore = () => 'pass')],
  ])('because it %s causes 503 for content, loses nothing, is named by readiness, and recovers', async (_, fail, fix) => {
    const stored = await create();
    expect((await put(stored.uploadUrl, 'before')).status).toBe(200);
    const { downloadUrl } = await find(stored.id);
    await fail();

    const [upload, download] = await Promise.all([put(stored.uploadUrl, 'after'), fetch(downloadUrl)]);
    expect([upload.status, JSON.parse(upload.body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect([download.status, ((await download.json()) as { code: string }).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect((await begin(stored.id)).code).toBe('SERVICE_UNAVAILABLE');
    expect(await ready()).toMatchObject(notReady);
    expect(await find(stored.id)).toMatchObject({ status: 'done', contentLength: 6, uploaded: true });

    await fix();
    expect(await ready()).toMatchObject({ node: 200, service: 200, checks: { 'blob store': 'ok' } });
    expect(await (await fetch(downloadUrl)).text()).toBe('before');
    expect((await put(stored.uploadUrl, 'after')).status).toBe(200);
    expect(await (await fetch((await find(stored.id)).downloadUrl)).text()).toBe('after');
  });

  it('because it stays silent is named by readiness in 2 s, and a call ends with 503', async () => {
    const { id } = await create();
    proxy.toStore = () => 'swallow';
    const [refusal, health] = await Promise.all([begin(id), ready()]);
    expect(refusal.code).toBe('SERVICE_UNAVAILABLE');
    expect(health).toMatchObject(notReady);
    proxy.toStore = () => 'pass';
    expect((await ready()).service).toBe(200);
    await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`);
  });
});
