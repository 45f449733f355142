import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Deployment } from '../support/process.js';
import { describeOnS3, FaultyProxy, freshBucket } from '../support/s3.js';
import { TestServer } from '../support/server.js';
import { until } from '../support/websockets.js';

const ready = async (address: string) => {
  const [node, service] = await Promise.all(['', '/file-management'].map((path) => fetch(`${address}/health/ready${path}`)));
  return { ...((await node!.json()) as object), node: node!.status, service: service!.status };
};
const NOT_ABLE = {
  node: 200,
  service: 503,
  status: 'degraded',
  checks: { database: 'ok', 'blob store': 'unavailable' },
  services: { 'file-management': 'unavailable', 'document-log': 'ok' },
};

describeOnS3('a node whose store is down at its start', () => {
  it.each([
    ['refuses connections', (proxy: FaultyProxy) => proxy.close(), (proxy: FaultyProxy) => proxy.open()],
    [
      'cuts connections',
      async (proxy: FaultyProxy) => void (proxy.toStore = () => 'cut'),
      async (proxy: FaultyProxy) => proxy.pass(),
    ],
  ])(
    'because it %s serves the rest, says so, and creates its bucket and accepts files once the store is up',
    async (_, fail, fix) => {
      const bucket = freshBucket();
      const proxy = await FaultyProxy.to(bucket.endpoint);
      await fail(proxy);
      const server = await TestServer.start({
        S3_ENDPOINT: proxy.endpoint,
        S3_ACCESS_KEY: bucket.accessKey,
        S3_SECRET_KEY: bucket.secretKey,
        S3_BUCKET: bucket.bucket,
      });
      const api = await server.api('file-management');
      const { id, uploadUrl } = (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl}}')).createFile;
      const put = async () => (await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('content') })).status;
      expect(await put()).toBe(503);
      expect(await ready(server.address)).toMatchObject(NOT_ABLE);
      expect(server.logLines.filter((line) => line.includes('uploads and downloads fail until it responds'))).toHaveLength(1);

      await fix(proxy);
      await until(async () => (await ready(server.address)).service === 200);
      expect(await put()).toBe(200);
      expect(await (await fetch(`${server.address}/file-management/files/${id}`)).text()).toBe('content');
      await until(async () => server.logLines.some((line) => line.includes('is reachable and prepared')));
      await server.stop();
      await proxy.close();
    },
  );
});

describe('a start with a store', () => {
  let deployment: Deployment;
  let store: Server | undefined;
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' });
  });
  afterEach(() => new Promise((done) => (store ? store.close(done) : done(undefined))));
  afterAll(() => deployment.remove());

  const listen = async (server: Server) => {
    store = server;
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return { S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const answering = (status: number, code: string) =>
    createHttpServer((_, response) => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`));

  it.each([
    ['InvalidAccessKeyId', 403],
    ['SignatureDoesNotMatch', 403],
    ['AccessDenied', 403],
  ])('that answers %s ends with one line that names the setting', async (code, status) => {
    const server = deployment.start(await listen(answering(status, code)));
    expect(await server.exited).toBe(1);
    expect(server.output.trim().split('\n').at(-1)).toMatch(
      /^platform-services did not start: S3_ENDPOINT names a store that cannot be used: /,
    );
  });

  it.each([
    ['names a host that is not known', async () => ({ S3_ENDPOINT: 'http://no-such-host.invalid' })],
    ['is refused', async () => ({ S3_ENDPOINT: 'http://127.0.0.1:1' })],
    ['answers that it is not ready', () => listen(answering(503, 'XMinioServerNotInitialized'))],
  ])('whose host %s succeeds, and readiness reports that files cannot be served', async (_, settings) => {
    const server = deployment.start(await settings());
    expect(await ready(await server.ready())).toMatchObject(NOT_ABLE);
    expect(await server.stop()).toBe(0);
  });

  it('that accepts data and stays silent succeeds too', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    const server = deployment.start(await listen(silent));
    expect(await ready(await server.ready())).toMatchObject(NOT_ABLE);
    await server.stop();
    for (const socket of sockets) socket.destroy();
  });

  it('that is down makes a command fail that needs the store', async () => {
    const away = await Deployment.create({ S3_ENDPOINT: 'http://127.0.0.1:1', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' });
    await away.outcome('migrate'); // makes the database, for which it needs no store
    const { code, stderr } = await away.outcome('files', 'reconcile');
    expect([code, stderr]).toEqual([1, expect.stringContaining('S3_ENDPOINT names a store that cannot be used: ECONNREFUSED')]);
    await away.remove();
  });
});
