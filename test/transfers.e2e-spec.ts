// @nightly postgresql: no SQL of its own
import { connect, type Socket } from 'node:net';
import { RequestGate } from '../src/common/http/request-gate.js';
// Past the API: open transfers, which no API shows.
import { Transfers } from '../src/modules/file-management/content-rules/transfers.service.js';
import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const PLACES = 8;
const SHARE = 2;
/** More than sockets and streams buffer, so that a download of it waits for its reader. */
const LARGE = 64 * 1024 * 1024;

/** A connection that is read by hand. */
class Line {
  text = '';
  isClosed = false;
  private constructor(readonly socket: Socket) {}

  static to(url: string, method: string, headers: Record<string, string | number>, { reads = true } = {}): Line {
    const { hostname, port, pathname, search } = new URL(url);
    const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname);
    const line = new Line(socket);
    socket.on('error', () => undefined).once('close', () => (line.isClosed = true));
    if (reads) socket.on('data', (bytes) => (line.text += bytes.toString('latin1')));
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${pathname}${search} HTTP/1.1\r\nHost: x\r\n${head.join('')}\r\n`);
    return line;
  }

  get status(): string {
    return this.text.slice(9, 12);
  }
}

describe('one tenant with open transfers', () => {
  let server: TestServer;
  let slow: Api;
  let other: Api;
  let transfers: Transfers;
  const lines: Line[] = [];
  beforeAll(async () => {
    server = await TestServer.start();
    [slow, other] = [await server.api('file-management'), await server.api('file-management')];
    transfers = server.app.get(Transfers, { strict: false });
    transfers.slots = PLACES;
  });
  afterEach(async () => {
    for (const { socket } of lines.splice(0)) socket.destroy();
    await until(async () => (await health()).body.checks.transfers === 'ok');
    Object.assign(transfers, { graceMs: 60_000 });
  });
  afterAll(() => server.stop());

  const create = async (api: Api) =>
    (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl}}')).createFile as { id: string; uploadUrl: string };
  const health = async (): Promise<{ status: number; body: any }> => {
    const response = await fetch(`${server.address}/health/ready/file-management`);
    return { status: response.status, body: await response.json() };
  };
  const put = (url: string, body: Buffer<ArrayBuffer>) => fetch(url, { method: 'PUT', body });
  const drip = (url: string) => {
    const line = Line.to(url, 'PUT', { 'content-length': 1_000_000 });
    line.socket.write('x');
    lines.push(line);
    return line;
  };
  const partUrl = async (api: Api) => {
    const { id } = await create(api);
    const { uploadId } = (await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`))
      .initiateMultipartUpload;
    const input = { fileId: id, uploadId, partNumber: 1 };
    const generate = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    return (await api.ask(generate, { input })).generatePartUploadUrl as string;
  };
  /** Opens a download, reads only its first bytes, and returns its status. */
  const statusOfUnread = async (url: string) => {
    const reader = Line.to(url, 'GET', {});
    lines.push(reader);
    reader.socket.once('data', () => reader.socket.pause());
    return until(() => reader.status);
  };
  const refusals = (of: Line[]) => of.filter(({ status }) => status === '503');

  it('on one signed URL or on parts has its share of slots, and others upload and download', async () => {
    const stored = await create(other);
    expect((await put(stored.uploadUrl, Buffer.from('before'))).status).toBe(200);
    const [{ uploadUrl }, part] = [await create(slow), await partUrl(slow)];
    const dripping = Array.from({ length: 10 }, (_, index) => drip(index % 2 ? uploadUrl : part));
    await until(async () => refusals(dripping).length === 10 - SHARE);
    expect(refusals(dripping)[0]!.text).toMatch(/retry-after: 2[^]*"code":"SERVICE_UNAVAILABLE"[^]*The tenant has 2 uploads/);
    await until(async () => dripping.filter(({ isClosed }) => isClosed).length === 10 - SHARE);

    expect((await put(stored.uploadUrl, Buffer.from('after'))).status).toBe(200);
    const download = await fetch(`${server.address}/file-management/files/${stored.id}`);
    expect([download.status, await download.text()]).toEqual([200, 'after']);
    expect((await put(await partUrl(other), Buffer.from('part'))).status).toBe(200);
    expect((await health()).body.checks.transfers).toBe('ok');
  });

  it('that reads no downloads has its share of slots, and can still upload', async () => {
    const { id, uploadUrl } = await create(slow);
    expect((await put(uploadUrl, Buffer.alloc(LARGE))).status).toBe(200);
    const address = `${server.address}/file-management/files/${id}`;
    const statusOfRange = async () => (await fetch(address, { headers: { range: 'bytes=0-0' } })).status;
    const statuses: string[] = [];
    // Sequential, since a concurrent short download could hold the slot that an unread one needs.
    while (statuses.length <= SHARE) statuses.push(await statusOfUnread(address));
    expect(statuses).toEqual([...Array<string>(SHARE).fill('200'), '503']);
    expect(await statusOfRange()).toBe(503);
    expect((await put((await create(slow)).uploadUrl, Buffer.from('x'))).status).toBe(200);
    for (const { socket } of lines) socket.destroy();
    await until(async () => (await statusOfRange()) === 206);
  });

  it('is distinguished from a node without any free slot, which readiness reports', async () => {
    const tenants = await Promise.all(Array.from({ length: PLACES / SHARE }, () => server.api('file-management')));
    const urls = await Promise.all(tenants.map(async (api) => (await create(api)).uploadUrl));
    for (const url of [...urls, ...urls]) drip(url);
    await until(async () => (await health()).body.checks.transfers === 'degraded');
    expect(await health()).toMatchObject({ status: 200, body: { status: 'degraded' } });
    const refused = await put((await create(other)).uploadUrl, Buffer.from('x'));
    expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
      503,
      expect.stringMatching(/^All transfer slots of this node are in use/),
    ]);
  });

  it('that is too slow after its first minute gets 408 for files and parts, and a slow reader is cut off', async () => {
    const { id, uploadUrl } = await create(slow);
    expect((await put(uploadUrl, Buffer.alloc(LARGE))).status).toBe(200);
    const reader = Line.to(`${server.address}/file-management/files/${id}`, 'GET', {}, { reads: false });
    const dripping = [drip(uploadUrl), drip(await partUrl(slow))];
    const fast = await create(other);
    lines.push(reader);
    Object.assign(transfers, { graceMs: 1, leastBytesPerSecond: LARGE * 100 });
    await until(async () => dripping.every(({ status }) => status === '408'));
    expect(dripping[0]!.text).toMatch(/"code":"BAD_REQUEST"[^]*bytes a second/);
    reader.socket.resume();
    await until(async () => reader.isClosed);
    Object.assign(transfers, { graceMs: 60_000, leastBytesPerSecond: 1024 });
    expect((await put(fast.uploadUrl, Buffer.from('x'))).status).toBe(200);
    const kept = await fetch(`${server.address}/file-management/files/${id}`);
    expect((await kept.arrayBuffer()).byteLength).toBe(LARGE);
  });

  it('with slow request bodies is limited to its share, and others are answered', async () => {
    const gate = server.app.get(RequestGate);
    const before = gate.slowBodiesPerTenant;
    gate.slowBodiesPerTenant = SHARE;
    const headers = { 'content-type': 'application/json', 'x-api-key': slow.key!, 'content-length': 100 };
    const bodies = Array.from({ length: 10 }, () => Line.to(`${server.address}/file-management/graphql`, 'POST', headers));
    lines.push(...bodies);
    await until(async () => refusals(bodies).length === 10 - SHARE);
    expect((await other.ask('{version}')).version).toBeTruthy();
    gate.slowBodiesPerTenant = before;
  });
});
