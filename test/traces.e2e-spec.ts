// @nightly postgresql: no SQL of its own
import { randomBytes } from 'node:crypto';
import { callerTrace, Collector, isBelow, named } from './support/collector.js';
import { FROM, SEND, someone } from './support/email.js';
import { TestServer } from './support/server.js';
import { MailServer } from './support/smtp.js';
import { Push, PUSH, PUSH_GLOBAL, until } from './support/websockets.js';

const PREVIEW = 'query Preview($input:PreviewInput!){preview(input:$input){body}}';
const CREATE = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
const DOWNLOAD = 'query($id:ID!){file(ID:$id){downloadUrl}}';
const SERVER = 2;
const CLIENT = 3;

describe('a node with an OpenTelemetry collector', () => {
  let collector: Collector;
  let mail: MailServer;
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    [collector, mail] = await Promise.all([Collector.start(), MailServer.start()]);
    server = await TestServer.start({
      ...collector.settings,
      OTEL_SERVICE_NAME: 'shop-platform',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20bed',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20c2hvcA%3D%3D',
      SMTP_URL: mail.url,
      EMAIL_FROM: FROM,
    });
    key = await server.createKey();
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([collector.stop(), mail.stop()]);
  });

  it("records a caller's request from HTTP through GraphQL to SQL as one trace, with the ids of tenant and key", async () => {
    const api = await server.api('file-management', key);
    const caller = callerTrace();
    const { data } = await api.send(CREATE, { input: { name: 'a.txt' } }, caller.headers);
    const spans = await collector.trace(caller.traceId, (found) => named(found, '^POST ').length > 0);
    const [http] = named(spans, '^POST /file-management/graphql$');
    expect(http).toMatchObject({ kind: SERVER, parentId: caller.spanId, isFailed: false });
    expect(http!.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/file-management/graphql',
      'http.response.status_code': 200,
      'platform.tenant.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'platform.key.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(http!.resource).toMatchObject({ 'service.name': 'shop-platform', 'deployment.environment.name': 'test bed' });
    const [operation] = named(spans, '^mutation createFile$');
    expect(operation).toMatchObject({ parentId: http!.spanId, attributes: { 'platform.service': 'file-management' } });
    const statements = named(spans, '^(INSERT|WITH).*File');
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) expect(isBelow(statement, operation!, spans)).toBe(true);
    expect(statements[0]).toMatchObject({ kind: CLIENT });
    expect(['sqlite', 'postgresql']).toContain(statements[0]!.attributes['db.system.name']);
    expect(collector.headers.at(-1)).toMatchObject({ authorization: 'Basic c2hvcA==', 'content-type': 'application/x-protobuf' });
    expect(data.createFile.id).toBeTruthy();
  });

  it('records repeated operations, which bypass Apollo, in their traces too', async () => {
    const api = await server.api('file-management', key);
    await api.ask('query Again{files{items{id}}}');
    const caller = callerTrace();
    await api.send('query Again{files{items{id}}}', {}, caller.headers);
    const spans = await collector.trace(caller.traceId, (found) => named(found, '^POST ').length > 0);
    const [operation] = named(spans, '^query files$');
    expect(operation!.attributes).toMatchObject({ 'graphql.operation.type': 'query', 'graphql.operation.name': 'Again' });
    expect(named(spans, '^(SELECT|WITH)').every((statement) => isBelow(statement, operation!, spans))).toBe(true);
  });

  it('follows the flag of a caller, and records requests of others with a trace of their own, which the log names', async () => {
    const api = await server.api('file-management', key);
    const unsampled = callerTrace('00');
    await api.send('{version}', {}, unsampled.headers);
    await api.send('{version}', {}, { 'x-request-id': 'without-trace' });
    const line = await until(() => server.logLines.find((text) => text.includes('without-trace')));
    const { traceId } = JSON.parse(line) as { traceId: string };
    await collector.trace(traceId, (found) => found.length > 0);
    expect(collector.spans.filter((span) => span.traceId === unsampled.traceId)).toEqual([]);
  });

  it('records the blob store below the requests that move content', async () => {
    const api = await server.api('file-management', key);
    const { createFile } = await api.ask(CREATE, { input: { name: 'b.txt' } });
    const [up, down] = [callerTrace(), callerTrace()];
    const type = { 'content-type': 'text/plain' };
    await fetch(createFile.uploadUrl, { method: 'PUT', body: 'bytes', headers: { ...up.headers, ...type } });
    const { file } = await api.ask(DOWNLOAD, { id: createFile.id });
    expect(await (await fetch(file.downloadUrl, { headers: down.headers })).text()).toBe('bytes');
    for (const [caller, name] of [
      [up, /^(S3\/PutObject|folder put)$/],
      [down, /^(S3\/GetObject|folder open)$/],
    ] as const) {
      const spans = await collector.trace(caller.traceId, (found) => found.some(({ kind }) => kind === SERVER));
      const [http] = spans.filter(({ kind }) => kind === SERVER);
      expect(isBelow(named(spans, name)[0]!, http!, spans)).toBe(true);
      expect(JSON.stringify(http!.attributes)).not.toContain('signature');
    }
  });

  it('records renderings, including those of child processes', async () => {
    const api = await server.api('document-rendering', key);
    const caller = callerTrace();
    const template = { type: 'document', contentType: 'html', body: '{% raw %}{% endraw %}<p>{{ a }}' };
    await api.send(PREVIEW, { input: { template, params: '{"a":1}' } }, caller.headers);
    const spans = await collector.trace(caller.traceId, (found) => named(found, '^POST ').length > 0);
    const [render] = named(spans, '^render$');
    const [job] = named(spans, 'in a process$');
    expect(job!.attributes['platform.render.waited_ms']).toBeGreaterThanOrEqual(0);
    expect(job!.parentId).toBe(render!.spanId);
  });

  it('sends a mail as part of the trace that accepted it, and removes that trace then', async () => {
    const api = await server.api('email', key);
    const caller = callerTrace();
    const { data } = await api.send(SEND, { input: { to: { address: someone() }, subject: 's', textBody: 't' } }, caller.headers);
    const spans = await collector.trace(
      caller.traceId,
      (found) => named(found, '^send mail$').length > 0 && named(found, '^POST').length > 0,
    );
    const [sending] = named(spans, '^send mail$');
    expect(isBelow(sending!, named(spans, '^POST')[0]!, spans)).toBe(true);
    expect(sending!.attributes).toMatchObject({ 'platform.email.id': data.sendMessage.id, 'platform.email.refused': 0 });
  });

  it('records acceptance, delivery and confirmation of a push', async () => {
    const push = new Push(await server.api('websockets-manager', key));
    const client = await push.connect('ann');
    for (const [document, input] of [
      [PUSH, { recipients: ['ann'], message: 'hi' }],
      [PUSH_GLOBAL, { message: 'all' }],
    ] as const) {
      const caller = callerTrace();
      await push.api.send(document, { input }, caller.headers);
      const spans = await collector.trace(caller.traceId, (found) => named(found, '^confirm push$').length > 0);
      const [accepted, delivered, confirmed] = ['accept', 'deliver', 'confirm'].map((what) => named(spans, `^${what} push$`)[0]!);
      expect(delivered!.parentId).toBe(accepted!.spanId);
      expect(confirmed).toMatchObject({ parentId: delivered!.spanId, links: [delivered!.spanId] });
    }
    await client.close();
  });

  it('exports the metrics of /metrics under the same names', async () => {
    const api = await server.api('document-log', key);
    for (let count = 0; count < 3; count++) await api.ask('{version}');
    const labels = { service: 'document-log', operation: 'version', outcome: 'ok' };
    const isCounted = () =>
      collector.metrics
        .get('graphql_operations_total')
        ?.points.some(({ attributes, value }) => value === 3 && JSON.stringify(attributes) === JSON.stringify(labels));
    await until(isCounted);
    const text = await (await fetch(`${server.address}/metrics`)).text();
    const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    expect(served.filter((name) => text.includes(`\n${name}`) && !collector.metrics.has(name))).toEqual([]);
    const point = collector.metrics
      .get('graphql_request_duration_seconds')!
      .points.find(({ attributes }) => attributes.service === 'document-log')!;
    expect(point.buckets!.reduce((sum, count) => sum + count)).toBe(point.value);
  });

  it('exports no caller data in any span or metric', async () => {
    const secret = () => `planted-${randomBytes(8).toString('hex')}`;
    const planted: string[] = [];
    const plant = (text = secret()) => (planted.push(text), text);
    const caller = callerTrace();
    const { headers } = caller;
    const files = await server.api('file-management', key);
    const author = { id: plant(), name: plant(), email: `${plant()}@example.com` };
    const { data } = await files.send(CREATE, { input: { name: plant(), comment: plant(), author } }, headers);
    const { id, uploadUrl } = data.createFile;
    const type = { 'content-type': 'application/octet-stream' };
    await fetch(uploadUrl, { method: 'PUT', body: plant(), headers: { ...headers, ...type } });
    const { downloadUrl } = (await files.ask(DOWNLOAD, { id })).file;
    planted.push(...[uploadUrl, downloadUrl].map((url: string) => new URL(url).searchParams.get('signature')!));
    await fetch(downloadUrl, { headers });
    await fetch(`${server.address}/nowhere/${plant()}?token=${plant()}`, { headers });
    await files.send(`{file(ID:"${plant()}"){id}}`, {}, headers);
    await files.send('query($f:FilesFilter){files(filter:$f){items{id}}}', { f: { name: plant() } }, headers);
    await files.send(`{${plant().replace('-', '_')}}`, {}, headers);
    const to = { address: `${plant()}@example.com`, name: plant() };
    await (await server.api('email', key)).send(SEND, { input: { to, subject: plant(), textBody: plant() } }, headers);
    await (
      await server.api('email', key)
    ).send(SEND, { input: { to: { address: plant() }, subject: 's', textBody: 't' } }, headers);
    const push = new Push(await server.api('websockets-manager', key));
    const recipient = plant();
    const client = await push.connect(recipient);
    await push.api.send(PUSH, { input: { recipients: [recipient], message: plant(), topic: null } }, headers);
    const template = { type: 'document', contentType: 'html', body: `{% raw %}{% endraw %}${plant()}{{ a }}` };
    const rendering = await server.api('document-rendering', key);
    await rendering.send(PREVIEW, { input: { template, params: JSON.stringify({ a: plant() }) } }, headers);
    await collector.trace(caller.traceId, (found) =>
      ['^send mail$', '^confirm push$', '^query preview$'].every((name) => named(found, name).length > 0),
    );
    await client.close();
    const exported = Buffer.concat(collector.bytes).toString('latin1');
    expect(exported).toContain('platform.tenant.id');
    expect([...planted, key].filter((text) => exported.includes(text))).toEqual([]);
  });
});
