// @nightly postgresql: no SQL of its own
import { connect, type Socket } from 'node:net';
import { HeavyWork } from '../src/common/scheduling/heavy-work.js';
import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const STORE = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}';
const STREAMS_PER_TENANT = 4;
/** More than sockets buffer, so that an export of it waits for its reader. */
const BATCHES = 6;

describe('heavy work', () => {
  let server: TestServer;
  let heavy: HeavyWork;
  let api: Api;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    server = await TestServer.start();
    heavy = server.app.get(HeavyWork, { strict: false });
    api = await server.api('document-log');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => server.stop());

  const store = async (of: Api, count: number, raw = 'new'): Promise<string[]> => {
    const record = { documentType: 'order', dateTime: '2026-11-25', attribute: { id: 'text' }, attributeNewValue: { raw } };
    const input = Array.from({ length: count }, (_, index) => ({ documentId: `d-${index}`, ...record }));
    const { createLogBatch } = await of.ask(STORE, { input });
    return createLogBatch.results.map(({ itemId }: { itemId: string }) => itemId);
  };
  const outcomes = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${server.address}/metrics`)).text();
    const lines = text.matchAll(/^heavy_work_total\{kind="(\w+)",outcome="(\w+)"\} (\d+)/gm);
    return Object.fromEntries([...lines].map(([, kind, outcome, count]) => [`${kind} ${outcome}`, Number(count)]));
  };
  /** Sends a request on a connection of its own, from which nothing is read. */
  const send = (head: string, body = ''): Socket => {
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`${head}\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    sockets.push(socket);
    return socket;
  };
  const quiet = () => until(async () => heavy.counts.running + heavy.counts.waiting + heavy.streams.counts.running === 0);

  it('runs once for equal requests that arrive before it starts, and again for later ones', async () => {
    const ids = await store(api, 100);
    const before = (await outcomes())['field done'] ?? 0;
    const fields = Array.from({ length: 50 }, (_, index) => `v${index}:verifyLogs{valid}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.ask(`{${fields.join(' ')}}`)));
    const all = answers.flatMap((data) => Object.values(data as Record<string, { valid: boolean }>));
    expect(all.map(({ valid }) => valid)).toEqual(Array.from({ length: 400 }, () => true));
    expect((await outcomes())['field done']! - before).toBeLessThanOrEqual(2 * answers.length);

    await store(api, 1);
    const { verifyLogs } = await api.ask('{verifyLogs{checkedRecords}}');
    expect(verifyLogs.checkedRecords).toBe(ids.length + 1);
  });

  it('refuses an operation whose heavy fields exceed the cost limit', async () => {
    const fields = Array.from({ length: 100 }, (_, index) => `v${index}:verifyLogs{valid}`);
    expect((await api.refusal(`{${fields.join(' ')}}`)).message).toMatch(/could resolve 1\d{5} fields; at most 100000/);
  });

  it('ends once all its callers have left, even while it waits for a slot', async () => {
    const ids = await store(api, 400);
    const before = await outcomes();
    for (const id of ids) {
      const body = JSON.stringify({ query: `{logProof(id:"${id}"){path}}` });
      send(`POST /document-log/graphql HTTP/1.1\r\nx-api-key: ${api.key}\r\ncontent-type: application/json`, body);
    }
    await until(async () => heavy.counts.waiting > 20);
    for (const socket of sockets) socket.destroy();
    await quiet();
    const after = await outcomes();
    expect(after['field left']! - (before['field left'] ?? 0)).toBeGreaterThan(0);
    expect(after['field done']! - before['field done']!).toBeLessThan(ids.length);
  });

  it('limits exports that nobody reads to the share of their tenant, and leaves slots to other tenants', async () => {
    const [stopped, other] = [await server.api('document-log'), await server.api('document-log')];
    for (let batch = 0; batch < BATCHES; batch++) await store(stopped, 200, 'x'.repeat(60_000));
    await store(other, 1);
    const exportOf = (of: Api, format: string) =>
      fetch(`${server.address}/document-log/export?format=${format}`, { headers: { 'x-api-key': of.key! } });
    for (const format of ['ndjson', 'csv', 'bundle', 'ndjson', 'csv', 'bundle']) {
      send(`GET /document-log/export?format=${format} HTTP/1.1\r\nx-api-key: ${stopped.key}`);
    }
    await until(async () => heavy.streams.counts.waiting > 0);
    const before = heavy.streams.counts.waiting;
    sockets.pop()!.destroy();
    await until(async () => heavy.streams.counts.waiting < before);
    await until(async () => heavy.streams.counts.running === STREAMS_PER_TENANT && heavy.streams.counts.waiting === 0);
    const refused = await exportOf(stopped, 'bundle');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await refused.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    for (const format of ['ndjson', 'csv', 'bundle']) {
      const served = await exportOf(other, format);
      expect([format, served.status, (await served.text()).length > 0]).toEqual([format, 200, true]);
    }
    for (const socket of sockets) socket.destroy();
    await quiet();
    expect((await outcomes())['stream left']).toBeGreaterThanOrEqual(STREAMS_PER_TENANT);
    const again = await exportOf(stopped, 'csv');
    expect(again.status).toBe(200);
    await again.body!.cancel(); // a stop of the server would wait for its reader
    expect(server.logLines.filter((line) => line.includes('internal error'))).toEqual([]);
  });
});
