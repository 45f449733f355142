// @nightly postgresql: no SQL of its own
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Readiness } from '../src/common/health/readiness.js';
import { Metrics } from '../src/common/metrics/metrics.js';
import { BackgroundJobs } from '../src/common/jobs/background-jobs.js';
// Past the API: a missing blob, which no API leaves behind.
import { BlobStore } from '../src/modules/file-management/blob-store/blob-store.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

describe('/metrics', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  /** Gathers again, which the route does five times a second at most. */
  const read = () => server.app.get(Metrics, { strict: false }).read();
  const figure = async (series: string) => {
    const line = (await read()).split('\n').find((one) => one.startsWith(`${series} `));
    return Number(line?.slice(series.length));
  };
  const until = async (is: () => Promise<boolean>) => {
    while (!(await is())) await sleep(20);
  };

  it('distinguishes failed statements from those that lost to another writer, and counts none as pending afterwards', async () => {
    const database = allRowsOf('no request makes a statement fail', server);
    const failed = await figure('database_statements_total{outcome="failed"}');
    await database.$queryRawUnsafe('SELECT nonsense FROM nowhere').catch(() => undefined);
    expect(await figure('database_statements_total{outcome="failed"}')).toBe(failed + 1);

    const data = { name: 'twice', holder: 'a', expiresAt: new Date(0) };
    await database.lease.create({ data });
    await database.lease.create({ data }).catch(() => undefined);
    expect(await figure('database_statements_total{outcome="conflict"}')).toBeGreaterThan(0);
    expect(await figure('database_statements_total{outcome="failed"}')).toBe(failed + 1);
    await until(async () => (await figure('database_statements_pending')) === 0);
  });

  it('is gathered at most five times a second, and shared among concurrent requests', async () => {
    let gathered = 0;
    server.app.get(Metrics, { strict: false }).beforeReading(async () => void gathered++);
    const ask = () => fetch(`${server.address}/metrics`).then((answer) => answer.text());
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(gathered).toBeLessThan(20);
    for (let i = 0; i < 20; i++) answers.push(await ask());
    const seconds = Math.ceil((performance.now() - begun) / 1000);
    expect(gathered).toBeLessThanOrEqual(5 * (seconds + 1));
    for (const answer of answers) expect(answer).toMatch(/^process_cpu_seconds_total \d/m);
    await until(async () => {
      const before = gathered;
      await ask();
      return gathered > before;
    });
  });

  it('counts statements of transactions', async () => {
    const database = allRowsOf('no request makes a statement fail', server);
    const before = await figure('database_statements_total{outcome="failed"}');
    const broken = database.$transaction((transaction) => transaction.$queryRawUnsafe('SELECT nonsense FROM nowhere'));
    await broken.catch(() => undefined);
    expect(await figure('database_statements_total{outcome="failed"}')).toBe(before + 1);
  });

  it('has each series of a counter that an alert selects by a label from the start, since no rate sees the first of a new one', async () => {
    const rules = readFileSync(fileURLToPath(new URL('../deploy/prometheus/alerts.yml', import.meta.url)), 'utf8');
    // Operations have too many outcomes, and requests too many routes.
    const selected = [...rules.matchAll(/\b(?!graphql_)(\w+_total)\{(\w+)=~?"([\w|]+)"\}/g)];
    const metrics = (await read()).split('\n');
    const isThere = (name: string, label: string, value: string) =>
      metrics.some((line) => line.startsWith(`${name}{`) && line.includes(`${label}="${value}"`));
    const wanted = selected.flatMap(([, name, label, values]) =>
      values!.split('|').map((value) => [name!, label!, value] as const),
    );
    expect(wanted.length).toBeGreaterThan(5);
    expect(wanted.filter((one) => !isThere(...one))).toEqual([]);
  });

  it('distinguishes a missing blob from an unavailable store', async () => {
    await expect(server.app.get(BlobStore, { strict: false }).open('no/such-blob')).rejects.toThrow(
      'Blob no/such-blob does not exist',
    );
    expect(await figure('blob_store_calls_total{call="open",outcome="missing"}')).toBe(1);
    expect(await read()).not.toMatch(/outcome="unavailable"\} [1-9]/);
  });

  it('shows which health check fails, and when it is ok again', async () => {
    let fault: Error | undefined = new Error('gone');
    server.app.get(Readiness).add('trial', 'email', async () => {
      if (fault) throw fault;
    });
    expect(await figure('health_check_ok{check="trial"}')).toBe(0);
    expect(await figure('health_check_ok{check="database"}')).toBe(1);
    fault = undefined;
    expect(await figure('health_check_ok{check="trial"}')).toBe(1);
  });

  it('shows when background work last succeeded, and counts its failures', async () => {
    const workers = server.app.get(BackgroundJobs, { strict: false });
    const began = Date.now() / 1_000;
    await until(async () => (await figure('background_work_last_success_timestamp_seconds{work="log-sealer"}')) > began);
    expect(await figure('background_work_interval_seconds{work="log-sealer"}')).toBe(1);
    await until(async () => (await figure('background_work_lease{work="retention"}')) === 1);
    // No record waits for its seal, so no process needs the lease.
    await until(async () => (await figure('background_work_lease{work="log-sealer"}')) === 0);

    workers.add({ name: 'broken', everyMs: 60_000, run: () => Promise.reject(new Error('broken')) });
    workers.onApplicationBootstrap();
    await until(async () => (await figure('background_work_runs_total{work="broken",outcome="failed"}')) === 1);
    expect(await read()).not.toContain('timestamp_seconds{work="broken"}');
  });

  it('does not wait for a metric that never arrives, and requests it once concurrently', async () => {
    let asked = 0;
    server.app.get(Metrics).beforeReading(() => {
      asked++;
      return new Promise(() => undefined);
    });
    await Promise.all([read(), read()]);
    expect(await read()).toContain('bus_up 1');
    expect(asked).toBe(1);
  });
});
