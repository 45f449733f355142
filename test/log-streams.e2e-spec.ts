import { CloudEvent } from 'cloudevents';
// Past the API: statements whose plans are examined, and limits.
import { dueStreamsStatement, waitingStatement } from '../src/modules/document-log/streams/log-streams.queries.js';
import { MAX_BATCH, MAX_STREAMS, MAX_WAITING } from '../src/modules/document-log/streams/log-stream.model.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog, FULL } from './support/document-log.js';
import { LogStreams } from './support/log-streams.js';
import { dialect, explainedForMany } from './support/plans.js';
import { describeOnS3, freshBucket, TestBucket } from './support/s3.js';
import { Receiver, RECEIVER_SETTINGS } from './support/webhooks.js';
import { until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const SECRET = 'Bearer of-the-destination';
const EARLY = '2020-01-01T00:00:00Z';

let server: DocumentLog;
let log: DocumentLog;
let streams: LogStreams;
let receiver: Receiver;
beforeAll(async () => {
  server = await DocumentLog.start(RECEIVER_SETTINGS);
});
beforeEach(async () => {
  log = await server.another();
  streams = new LogStreams(log);
  receiver = await Receiver.start();
});
afterEach(async () => {
  for (const { id } of (await streams.page()).items) await streams.delete(id);
  await receiver.stop();
});
afterAll(() => server.stop());

const https = (headers: object[] = []) => ({ https: { url: receiver.url, headers } });
/** The records of all requests so far, each a line of JSON. */
const lines = (): any[] =>
  receiver.received.flatMap(({ body }) =>
    body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ documentId: `d${index}` }));

describe('a log stream', () => {
  it('sends each sealed record once, in the order of writing, as exported, and reports its position', async () => {
    const stream = await streams.create({ destination: https([{ name: 'Authorization', value: SECRET }]) });
    expect(stream).toMatchObject({ format: 'NDJSON', active: true, waiting: 0, deliveredTo: null, lastError: null });
    await log.create(FULL);
    await log.createMany(numbered(3));
    await until(async () => lines().length === 4);
    const exported = (await (await log.export('')).text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines()).toEqual(exported.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    const { headers } = receiver.received[0]!;
    expect(headers).toMatchObject({ authorization: SECRET, 'content-type': 'application/x-ndjson' });
    const after = await streams.until(stream.id, ({ deliveredTo }) => deliveredTo === lines().at(-1).createdAt);
    expect(after).toMatchObject({ waiting: 0, failingSince: null, lastDeliveredAt: expect.any(String) });
    expect(after.destination).toMatchObject({ kind: 'HTTPS', url: receiver.url, headers: ['Authorization'] });
  });

  it('begins at the time of from, and returns by rewind', async () => {
    await log.createMany(numbered(3));
    await streams.sealed();
    const stream = await streams.create({ destination: https(), from: EARLY });
    await until(async () => lines().length === 3);
    await streams.until(stream.id, ({ waiting }) => waiting === 0);
    await streams.rewind(stream.id, EARLY);
    await until(async () => lines().length === 6);
    expect(lines().map(({ documentId }) => documentId)).toEqual(['d0', 'd1', 'd2', 'd0', 'd1', 'd2']);
    await streams.rewind(stream.id, '2100-01-01T00:00:00Z');
    await log.create({ documentId: 'later' });
    await until(async () => lines().at(-1).documentId === 'later');
    expect(lines()).toHaveLength(7);
  });

  it('sends batches in order, retries a failed one with fewer records, and loses none', async () => {
    let asked = 0;
    receiver.answer = () => ({ status: ++asked === 2 ? 413 : 200 });
    const count = MAX_BATCH + 20;
    await log.createMany(numbered(count));
    await streams.sealed();
    const stream = await streams.create({ destination: https(), from: EARLY });
    const failing = await streams.until(stream.id, ({ lastError }) => lastError !== null);
    expect(failing).toMatchObject({
      lastError: 'The server responded with status 413',
      pausedUntil: expect.any(String),
      waiting: 20,
    });
    await streams.passTime(stream.id);
    await streams.until(stream.id, ({ waiting }) => waiting === 0);
    const sizes = receiver.received.map(({ body }) => body.trimEnd().split('\n').length);
    expect(sizes).toEqual([MAX_BATCH, 20, 20]);
    const taken = [receiver.received[0]!, receiver.received[2]!].flatMap(({ body }) => body.trimEnd().split('\n'));
    expect(taken.map((line) => JSON.parse(line).documentId)).toEqual(numbered(count).map(({ documentId }) => documentId));
    expect(await streams.find(stream.id)).toMatchObject({ lastError: null, failingSince: null, pausedUntil: null });
  });

  it('reports the fault of a record that was changed in the database, and continues', async () => {
    const ids = await log.createMany(numbered(3));
    await log.update(ids[0]!, { comment: 'changed' });
    await streams.sealed();
    const rows = allRowsOf('no operation damages a record', server.server);
    const [edit, time] = databaseKind === 'sqlite' ? [`"newValue" = x'00'`, `x'00'`] : [`"dateTime" = 'infinity'`, `'infinity'`];
    await rows.$executeRawUnsafe(`UPDATE "LogEdit" SET ${edit} WHERE "logId" = '${ids[0]}'`);
    await rows.$executeRawUnsafe(`UPDATE "Log" SET "createdAt" = ${time} WHERE "id" = '${ids[1]}'`);
    const stream = await streams.create({ destination: https(), from: EARLY });
    await streams.until(stream.id, ({ waiting }) => waiting === 0);
    const error = { code: 'FAILED_PRECONDITION', message: expect.any(String) };
    expect(lines()).toEqual([{ id: ids[0], error }, { id: ids[1], error }, expect.objectContaining({ documentId: 'd2' })]);
  });

  it('obeys Retry-After, and reveals neither its secrets nor the response', async () => {
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '600' }, body: SECRET });
    const stream = await streams.create({ destination: https([{ name: 'x-key', value: SECRET }]) });
    await log.create();
    const failing = await streams.until(stream.id, ({ lastError }) => lastError !== null);
    expect(Date.parse(failing.pausedUntil) - Date.now()).toBeGreaterThan(500_000);
    expect(JSON.stringify(await streams.page())).not.toContain('of-the-destination');
    const row = await allRowsOf('no operation shows the sealed secret', server.server).logStream.findFirst({
      where: { id: stream.id },
    });
    expect(JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      'of-the-destination',
    );
  });

  it('sends nothing while it is inactive or its tenant is suspended, and all queued records afterwards', async () => {
    const stream = await streams.create({ destination: https() });
    await streams.update(stream.id, { active: false });
    await log.create({ documentId: 'a' });
    await streams.until(stream.id, ({ waiting }) => waiting === 1);
    await server.server.suspend(log.api);
    const rows = allRowsOf('a suspended tenant has no operation', server.server);
    await rows.logStream.updateMany({ where: { id: stream.id }, data: { active: true } });
    const other = new LogStreams(await server.another());
    const bystander = await other.create({ destination: https() });
    await other.log.create({ documentId: 'of another' });
    await until(async () => lines().length === 1);
    expect(lines()[0].documentId).toBe('of another');
    await other.delete(bystander.id);
    await server.server.resume(log.api);
    await until(async () => lines().some(({ documentId }) => documentId === 'a'));
  });

  it('shows a record in OCSF and in CloudEvents', async () => {
    const ocsf = await streams.create({ destination: https(), format: 'OCSF' });
    const item = await log.create({ ...FULL, action: 'Delete' });
    const [event] = await until(async () => (lines().length > 0 ? lines() : undefined));
    expect(event).toMatchObject({
      class_uid: 3004,
      category_uid: 3,
      activity_id: 4,
      type_uid: 300404,
      severity_id: 1,
      time: Date.parse(item.dateTime),
      metadata: { version: '1.3.0', uid: item.id, product: { name: 'platform-services', vendor_name: 'platform-services' } },
      entity: { uid: FULL.documentId, type: FULL.documentType },
      actor: { user: { uid: 'u1' } },
      src_endpoint: { ip: '::1' },
      unmapped: { attributeNewValue: FULL.attributeNewValue, custom1: 'c1' },
    });
    await log.create({ documentId: 'first', author: { profile: 'a clerk' }, eventLocation: { id: 'Zurich office' } });
    const [, sparse] = await until(async () => (lines().length > 1 ? lines() : undefined));
    expect(sparse).toMatchObject({ src_endpoint: { name: 'Zurich office' }, unmapped: { authorProfile: 'a clerk' } });
    expect([sparse.actor, sparse.src_endpoint.ip]).toEqual([undefined, undefined]);
    await streams.update(ocsf.id, { format: 'CLOUDEVENTS' });
    await log.create({ documentId: 'second' });
    const request = await until(async () => receiver.received[2]);
    expect(request.headers['content-type']).toBe('application/cloudevents-batch+json; charset=utf-8');
    const [cloudEvent] = JSON.parse(request.body) as object[];
    expect(new CloudEvent(cloudEvent!).validate()).toBe(true);
    expect(cloudEvent).toMatchObject({
      source: '/document-log',
      type: 'log.created',
      data: { documentId: 'second', comment: null },
    });
  });

  it('sends to Splunk in the format of its collector', async () => {
    const url = receiver.url.replace('/hook', '/');
    const { destination } = await streams.create({ destination: { splunk: { url, token: SECRET, index: 'audit' } } });
    expect(destination).toMatchObject({ kind: 'SPLUNK', url, index: 'audit', headers: null });
    const item = await log.create({ documentId: 's' });
    const [request] = await receiver.until(1);
    expect(request).toMatchObject({ path: '/services/collector/event', headers: { authorization: `Splunk ${SECRET}` } });
    expect(JSON.parse(request!.body)).toMatchObject({
      time: Date.parse(item.createdAt) / 1_000,
      index: 'audit',
      sourcetype: 'platform-services:ndjson',
      event: { documentId: 's' },
    });
  });

  it('uses at most three of the slots of a node with others of its tenant, and delays no other tenant', async () => {
    receiver.answer = ({ path }) => ({ status: 200, afterMs: path === '/slow' ? 600_000 : 0 });
    const slow = new URL('/slow', receiver.url).href;
    for (let count = 0; count < MAX_STREAMS; count++) await streams.create({ destination: { https: { url: slow } } });
    await log.create({ documentId: 'held' });
    await receiver.until(3);
    const other = await server.another();
    const { id } = await new LogStreams(other).create({ destination: https() });
    await other.create({ documentId: 'well' });
    await new LogStreams(other).until(id, ({ deliveredTo }) => deliveredTo !== null);
    await new LogStreams(other).delete(id);
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(['/hook', '/slow', '/slow', '/slow']);
  });

  it('belongs to its tenant, at most five, paged, newest first, and gone after deletion', async () => {
    const made: string[] = [];
    for (let count = 0; count < MAX_STREAMS; count++) made.push((await streams.create({ destination: https() })).id);
    await Promise.all(Array.from({ length: 15 }, () => streams.refused({ destination: https() })));
    expect(await streams.refused({ destination: https() })).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    const first = await streams.page(null, 2);
    const second = await streams.page(first.nextToken, 3);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.toReversed());
    expect(second.nextToken).toBeNull();
    await streams.delete(made[0]!);
    expect(await streams.find(made[0]!)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['input.destination', {}],
    ['input.destination', { https: { url: 'https://a.example' }, splunk: { url: 'https://a.example', token: 't' } }],
    ['input.destination.https.url', { https: { url: 'https://169.254.169.254/' } }],
    ['input.destination.https.url', { https: { url: 'https://user:pass@a.example/' } }],
    ['input.destination.https.headers.0.name', { https: { url: 'https://a.example', headers: [{ name: 'Host', value: 'b' }] } }],
    ['input.destination.https.headers.0.name', { https: { url: 'https://a.example', headers: [{ name: 'a b', value: 'b' }] } }],
    ...['Content-Type', 'content-encoding', 'Content-Digest', 'Digest'].map((name): [string, object] => [
      'input.destination.https.headers.0.name',
      { https: { url: 'https://a.example', headers: [{ name, value: 'gzip' }] } },
    ]),
    [
      'input.destination.https.headers.0.value',
      { https: { url: 'https://a.example', headers: [{ name: 'a', value: 'b\r\nc: d' }] } },
    ],
    [
      'input.destination.https.headers',
      {
        https: {
          url: 'https://a.example',
          headers: [
            { name: 'a', value: '1' },
            { name: 'A', value: '2' },
          ],
        },
      },
    ],
    ['input.destination.splunk.url', { splunk: { url: 'file:///etc/passwd', token: 't' } }],
    ...['a/b', '-.-', 'x.internal', 'datadoghq.eu.example.com', 'xdatadoghq.eu', '-.datadoghq.eu'].map(
      (site): [string, object] => ['input.destination.datadog.site', { datadog: { site, apiKey: 'k' } }],
    ),
    [
      'input.destination.s3.prefix',
      {
        s3: { endpoint: 'https://s.example', region: 'r', bucket: 'bbb', prefix: '../x', accessKeyId: 'a', secretAccessKey: 's' },
      },
    ],
    [
      'input.destination.s3.endpoint',
      { s3: { endpoint: 'https://s.example/b', region: 'r', bucket: 'bbb', accessKeyId: 'a', secretAccessKey: 's' } },
    ],
  ])('refuses a wrong %s: %j', async (field, destination) => {
    const { code, message } = await streams.refused({ destination });
    expect({ code, message }).toEqual({ code: 'BAD_USER_INPUT', message: expect.stringContaining(field) });
  });

  it('counts up to 1,000 queued records as heavy work, and only where it is selected', async () => {
    await log.createMany(numbered(MAX_WAITING + 1));
    await streams.sealed();
    const { id } = await streams.create({ destination: https() });
    await streams.update(id, { active: false });
    await streams.rewind(id, EARLY);
    const counted = async () => {
      const text = await (await fetch(`${server.server.address}/metrics`)).text();
      return Number(/^heavy_work_total\{kind="field",outcome="done"\} (\d+)/m.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    await log.api.ask(`{${Array.from({ length: 20 }, (_, at) => `a${at}:logStreams{items{id}}`).join(' ')}}`);
    expect((await counted()) - before).toBe(0);
    const page = await log.api.ask(`{${Array.from({ length: 20 }, (_, at) => `a${at}:logStreams{items{waiting}}`).join(' ')}}`);
    expect(Object.values(page)).toEqual(Array.from({ length: 20 }, () => ({ items: [{ waiting: MAX_WAITING }] })));
    expect((await counted()) - before).toBe(1);
  });

  it('requires a key that may read the records', async () => {
    const scope = 'document-log-api:mutation:createLogStream document-log-api:query:logStreams';
    const api = await server.server.api('document-log', await server.server.createKey(scope));
    const blind = new LogStreams({ api } as DocumentLog);
    expect(await blind.refused({ destination: https() })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('document-log-api:query:logs'),
    });
  });

  it('finds due streams and queued records by the index of seqs', async () => {
    const rows = allRowsOf('a plan is no operation', server.server);
    const due = await explainedForMany(
      rows,
      dueStreamsStatement(dialect, { holder: 'h', excluded: ['b'], share: 3, limit: 10 }, 9n),
    );
    const waiting = await explainedForMany(rows, waitingStatement(dialect, { tenantId: 't', position: 1n, sealed: 9n }));
    // PostgreSQL joins by the number of rows, of which there are few here.
    for (const { plan } of databaseKind === 'sqlite' ? [due, waiting] : [waiting]) expect(plan).toContain('Log_tenantId_seq_idx');
  });
});

describeOnS3('a log stream to S3', () => {
  it('writes objects of lines, named by time, to the bucket, and the next one a minute later', async () => {
    const { endpoint, region, bucket, accessKey, secretKey } = freshBucket();
    const store = new TestBucket({ endpoint, region, bucket, accessKey, secretKey });
    await store.create();
    const s3 = { endpoint, region, bucket, prefix: 'audit/', accessKeyId: accessKey, secretAccessKey: secretKey };
    const stream = await streams.create({ destination: { s3 } });
    expect(stream.destination).toMatchObject({ kind: 'S3', url: endpoint, bucket, prefix: 'audit/', accessKeyId: accessKey });
    await log.createMany(numbered(2));
    const [key] = await until(async () => {
      const keys = await store.keys();
      return keys.length === 1 ? keys : undefined;
    });
    expect(key).toMatch(/^audit\/\d{4}\/\d\d\/\d\d\/\d\d\/\d{8}T\d{9}Z-[0-9a-f-]{36}\.ndjson$/);
    const objects = (await store.text(key!))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(objects.map(({ documentId }) => documentId)).toEqual(['d0', 'd1']);
    await log.create({ documentId: 'later' });
    const resting = await streams.until(stream.id, ({ waiting }) => waiting === 1);
    expect(resting).toMatchObject({ pausedUntil: null, lastError: null });
    await streams.passTime(stream.id);
    await until(async () => (await store.keys()).length === 2);
    await streams.until(stream.id, ({ waiting }) => waiting === 0);
    await store.remove();
  });

  it('reports that the store refused a wrong secret', async () => {
    const { endpoint, region, bucket, accessKey } = freshBucket();
    const s3 = { endpoint, region, bucket, accessKeyId: accessKey, secretAccessKey: 'wrong' };
    const stream = await streams.create({ destination: { s3 } });
    await log.create();
    const failing = await streams.until(stream.id, ({ lastError }) => lastError !== null);
    expect(failing.lastError).toMatch(/^The server responded with status 40[34]$/);
  });
});
