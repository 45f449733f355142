import { connect } from 'node:net';
import { Api } from './support/api.js';
import { Deployment, type ServerProcess } from './support/process.js';

describe('a node', () => {
  let deployment: Deployment;
  beforeEach(async () => {
    deployment = await Deployment.create({ PORT: '0' });
  });
  afterEach(() => deployment.remove());

  const printedKey = (server: ServerProcess) => /psk_\w+/.exec(server.output)?.[0];

  it('prints a first key once, with the five console addresses, and not at its second start', async () => {
    const first = deployment.start();
    const address = await first.ready();
    await first.until(/email\/graphql\n/);
    expect(first.output).toContain(`${address}/file-management/graphql`);
    const key = printedKey(first)!;
    expect((await new Api(address, 'document-log', key).send('{version}')).data).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(await first.stop()).toBe(0);

    const second = deployment.start();
    expect((await new Api(await second.ready(), 'email', key).send('{version}')).status).toBe(200);
    expect(printedKey(second)).toBeUndefined();
    expect(await second.stop()).toBe(0);
  });

  it('starts beside another on the same empty database: they migrate once and make one first key', async () => {
    const nodes = [deployment.start(), deployment.start(), deployment.start()];
    const addresses = await Promise.all(nodes.map((node) => node.ready()));
    await new Promise((done) => setTimeout(done, 100));
    const keys = nodes.map(printedKey).filter(Boolean);
    expect(keys).toHaveLength(1);
    for (const address of addresses) expect((await new Api(address, 'email', keys[0]).send('{version}')).status).toBe(200);
    expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0, 0]);
  });

  it('finishes on SIGTERM what is under way, takes nothing new, and exits with 0', async () => {
    const server = deployment.start();
    const address = await server.ready();
    await server.until(/email\/graphql\n/);
    const api = new Api(address, 'file-management', printedKey(server));
    const { uploadUrl, id } = (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl}}')).createFile;
    const url = new URL(uploadUrl);
    const socket = connect(Number(url.port), url.hostname);
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    const ended = new Promise((done) => socket.once('close', done));
    socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n`);
    await new Promise((done) => socket.once('data', done)); // 100 Continue: the upload has begun
    socket.write('12345');
    // As a browser or a balancer does: opened ahead, and no request on it.
    const ahead = connect(Number(url.port), url.hostname);
    await new Promise((done) => ahead.once('connect', done));
    server.child.kill('SIGTERM');
    await server.until(/"msg":"stopping"/);
    const answers = () => fetch(`${address}/health/live`).then(({ ok }) => ok, () => false); // prettier-ignore
    while (await answers()) await new Promise((done) => setTimeout(done, 20));
    socket.write('67890');
    await ended;
    const answeredAt = performance.now();
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect(await server.exited).toBe(0);
    expect(performance.now() - answeredAt).toBeLessThan(5_000);

    const again = deployment.start();
    const response = await fetch(`${await again.ready()}/file-management/files/${id}`);
    expect(await response.text()).toBe('1234567890');
    await again.stop();
  });

  it('keeps what it answered and stays whole when it is killed in the middle of uploads', async () => {
    const server = deployment.start();
    const address = await server.ready();
    await server.until(/email\/graphql\n/);
    const key = printedKey(server)!;
    const api = new Api(address, 'file-management', key);
    const create = async () =>
      (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl(expiresIn:600)}}')).createFile;
    const stored = await create();
    expect((await fetch(stored.uploadUrl, { method: 'PUT', body: Buffer.from('before') })).status).toBe(200);
    const under = await Promise.all(Array.from({ length: 5 }, create));
    const slow = [stored, ...under].map(({ uploadUrl }) => {
      const url = new URL(uploadUrl);
      const socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
      socket.write(
        `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n`,
      );
      return new Promise<void>((done) => socket.once('data', () => socket.write(Buffer.alloc(500_000), () => done())));
    });
    await Promise.all(slow);
    expect(await server.stop('SIGKILL')).toBe('SIGKILL');

    const again = deployment.start();
    const after = new Api(await again.ready(), 'file-management', key);
    const { files } = await after.ask('{files{items{id status contentLength downloadUrl}}}');
    for (const { id } of under)
      expect(files.items).toContainEqual({ id, status: 'uploading', contentLength: null, downloadUrl: null });
    const kept = files.items.find(({ id }: { id: string }) => id === stored.id);
    expect(kept).toMatchObject({ status: 'done', contentLength: 6 });
    expect(await (await fetch(kept.downloadUrl)).text()).toBe('before');
    expect(await again.stop()).toBe(0);
  });
});
