// @nightly: several nodes that are killed
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import type { Service } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { callerTrace, Collector, isBelow, named } from './support/collector.js';
import { FROM, SEND, someone } from './support/email.js';
import { needing, SERVICE } from './support/needs.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { MailServer } from './support/smtp.js';
import { Push, PUSH, until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const CREATE = 'mutation($input:CreateFileInput){createFile(input:$input){id}}';
const SDK = /otlp-(tracer|metrics)|@opentelemetry\/(sdk|exporter|otlp|resources)/;
const withRedis = databaseKind === 'postgresql' ? needing(SERVICE.redis).it : it.skip;

describe('traces of several processes', () => {
  let collector: Collector;
  let deployment: Deployment;
  let key: string;
  beforeAll(async () => {
    collector = await Collector.start();
    deployment = await Deployment.create({ PORT: '0', EMAIL_FROM: FROM });
    key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
  });
  afterAll(async () => {
    await deployment.remove();
    await collector.stop();
  });

  const api = async (server: ServerProcess, service: Service) => new Api(await server.ready(), service, key);
  const node = (name: string, settings: Record<string, string> = {}) =>
    deployment.start({ ...collector.settings, OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${name}`, ...settings });

  it('contain the sending of a mail by another node, after the one that accepted it was killed', async () => {
    const mail = await MailServer.start();
    const to = someone();
    mail.treatments.set(to, { slowMs: 60_000 });
    const first = node('first', { SMTP_URL: mail.url });
    const caller = callerTrace();
    await (await api(first, 'email')).send(SEND, { input: { to: { address: to }, subject: 's', textBody: 't' } }, caller.headers);
    await collector.trace(caller.traceId, (spans) => named(spans, '^POST').length > 0);
    await first.stop('SIGKILL');
    mail.treatments.delete(to);
    await deployment.query('only time ends the lease of the dead node', `UPDATE "Email" SET "dueAt" = "createdAt"`);
    const second = node('second', { SMTP_URL: mail.url });
    const spans = await collector.trace(caller.traceId, (all) => named(all, '^send mail$').length > 0);
    const [sending] = named(spans, '^send mail$');
    expect(sending!.resource['service.instance.id']).toBe('second');
    expect(isBelow(sending!, named(spans, '^POST')[0]!, spans)).toBe(true);
    const kept = async () =>
      (await deployment.query('no API shows the trace that is kept with a mail', 'SELECT "traceContext" AS t FROM "Email"')) as {
        t: string | null;
      }[];
    await until(async () => (await kept()).every(({ t }) => t === null));
    await second.stop();
    await mail.stop();
  });

  withRedis('contain the delivery of a push by another node, to which Redis carried it', async () => {
    const redis = { REDIS_URL: process.env.TEST_REDIS_URL! };
    const [near, far] = [node('near', redis), node('far', redis)];
    const [from, to] = [new Push(await api(near, 'websockets-manager')), new Push(await api(far, 'websockets-manager'))];
    for (const {
      api: { address },
    } of [from, to]) {
      await until(async () => (await fetch(`${address}/health/ready/websockets-manager`)).status === 200);
    }
    const client = await to.connect('ann');
    const caller = callerTrace();
    await from.api.send(PUSH, { input: { recipients: ['ann'], message: 'hi' } }, caller.headers);
    const spans = await collector.trace(caller.traceId, (all) =>
      ['^confirm push$', '^redis PUBLISH$', '^accept push$'].every((name) => named(all, name).length > 0),
    );
    const [accepted, confirmed] = [named(spans, '^accept push$')[0]!, named(spans, '^confirm push$')[0]!];
    const delivered = named(spans, '^deliver push$').find(({ resource }) => resource['service.instance.id'] === 'far')!;
    expect([delivered.parentId, confirmed.parentId]).toEqual([accepted.spanId, delivered.spanId]);
    expect(accepted.resource['service.instance.id']).toBe('near');
    await client.close();
    await Promise.all([near.stop(), far.stop()]);
  });

  withRedis('follow a push from worker to worker, whose metrics are reported as those of one node', async () => {
    const server = node('workers', { WORKERS: '2', REDIS_URL: process.env.TEST_REDIS_URL! });
    const push = new Push(await api(server, 'websockets-manager'));
    const ofNode = () => collector.metrics.get('workers')?.points;
    await until(() => ofNode()?.[0]?.value === 2);
    expect(ofNode()).toHaveLength(1);
    const clients = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => push.connect(name)));
    // A recipient of each worker: whichever accepts the push, the other one delivers it too.
    const recipients = ['a', 'b', 'c', 'd', 'e', 'f'];
    const caller = callerTrace();
    await push.api.send(PUSH, { input: { recipients, message: 'hi' } }, { ...caller.headers, connection: 'close' });
    const spans = await collector.trace(caller.traceId, (all) => named(all, '^confirm push$').length === recipients.length);
    const [accepted] = named(spans, '^accept push$');
    const deliveries = named(spans, '^deliver push$');
    expect(deliveries.length).toBeGreaterThan(1);
    for (const one of deliveries) expect(one.parentId).toBe(accepted!.spanId);
    await Promise.all(clients.map((client) => client.close()));
    await server.stop();
  });

  it.each(['refusing', 'silent'] as const)('delay neither requests nor a shutdown while the collector is %s', async (mode) => {
    const failing = await Collector.start();
    failing.mode = mode;
    const server = deployment.start({ ...failing.settings, OTEL_METRIC_EXPORT_INTERVAL: '3600000' });
    const files = await api(server, 'file-management');
    await files.ask('{version}');
    await until(() => failing.asked > 0);
    for (let count = 0; count < 50; count++) await files.ask(CREATE, { input: { name: 'a' } });
    await server.until(/the telemetry collector is down/);
    await files.ask(CREATE, { input: { name: 'b' } });
    const metrics = await (await fetch(`${files.address}/metrics`)).text();
    expect(Number(/telemetry_items_total\{signal="traces",outcome="failed"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(0);
    expect(await server.stop()).toBe(0);
    expect(server.output).not.toContain('stopping took 10 s');
    expect(server.output.match(/the telemetry collector is down/g)!.length).toBeLessThanOrEqual(2); // one for each signal
    await failing.stop();
  });

  it.each([
    ['nothing of the SDK without a collector', {}, false],
    [
      'nothing of it where the SDK is disabled',
      { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
      false,
    ],
    ['the SDK with a collector', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  ])('load %s', async (_, settings, isLoaded) => {
    const folder = mkdtempSync(join(tmpdir(), 'loaded-'));
    const server = deployment.start({ ...settings, NODE_V8_COVERAGE: folder });
    await (await api(server, 'file-management')).ask('{version}');
    await server.stop();
    const scripts = readdirSync(folder).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { url: string }[] };
      return result.map(({ url }) => url);
    });
    rmSync(folder, { recursive: true });
    expect(scripts.some((url) => url.includes('/serve'))).toBe(true);
    expect(scripts.some((url) => SDK.test(url))).toBe(isLoaded);
  });
});
