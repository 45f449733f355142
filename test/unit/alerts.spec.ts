import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readFileSync } from 'node:fs';
import { dataFolder } from '../support/folders.js';
import { describeWithPrometheus } from '../support/prometheus.js';

const run = promisify(execFile);
const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const RULES = pathOf('deploy/prometheus/alerts.yml');

/** A series, and a sample for each minute: the first, and what each of the next adds. */
type Series = Record<string, string>;
const always = (value: number) => `${value}+0x30`;
const rising = (perMinute: number) => `0+${perMinute}x30`;
const operations = (outcome: string) => `graphql_operations_total{service="email",outcome="${outcome}"}`;
const requests = (status: number) => `http_request_duration_seconds_count{route="/files/:id",status="${status}"}`;
const statements = (outcome: string) => `database_statements_total{instance="a",outcome="${outcome}"}`;
const mails = (outcome: string) => `emails_total{outcome="${outcome}"}`;
const jobs = (outcome: string) => `render_jobs_total{instance="a",kind="render",outcome="${outcome}"}`;
/** Durations of which all are between the two bounds. */
const durations = (name: string, labels: string, above: string, upTo: string): Series => ({
  [`${name}_bucket{${labels},le="${above}"}`]: rising(0),
  [`${name}_bucket{${labels},le="${upTo}"}`]: rising(60),
  [`${name}_bucket{${labels},le="+Inf"}`]: rising(60),
});

/** What 20 minutes look like when an alert should fire, and when it should not, though not all is well. */
const CASES: Record<string, { fires: Series; quiet: Series }> = {
  NodeDown: {
    fires: { 'up{job="platform-services",instance="a"}': always(0) },
    quiet: { 'up{job="platform-services",instance="a"}': always(1), 'up{job="another"}': always(0) },
  },
  HealthCheckFails: {
    fires: { 'health_check_ok{check="database"}': always(0) },
    quiet: { 'health_check_ok{check="database"}': '1+0x18 0 0 1+0x9' },
  },
  InternalErrors: {
    fires: { [operations('INTERNAL_SERVER_ERROR')]: rising(1) },
    quiet: { [operations('NOT_FOUND')]: rising(60), [operations('INTERNAL_SERVER_ERROR')]: always(3) },
  },
  OperationsUnavailable: {
    fires: { [operations('SERVICE_UNAVAILABLE')]: rising(6), [operations('ok')]: rising(94) },
    quiet: { [operations('SERVICE_UNAVAILABLE')]: rising(4), [operations('ok')]: rising(96) },
  },
  RequestsFail: {
    fires: { [requests(503)]: rising(6), [requests(200)]: rising(94) },
    quiet: {
      [requests(500)]: rising(4),
      [requests(404)]: rising(96),
      'http_request_duration_seconds_count{route="/health/ready",status="503"}': rising(60),
    },
  },
  OperationsSlow: {
    fires: durations('graphql_request_duration_seconds', 'service="email"', '2.5', '5'),
    quiet: durations('graphql_request_duration_seconds', 'service="email"', '1', '2.5'),
  },
  RateLimited: {
    fires: { [operations('RATE_LIMITED')]: rising(21), [operations('ok')]: rising(79) },
    quiet: { [operations('RATE_LIMITED')]: rising(19), [operations('ok')]: rising(81) },
  },
  EventLoopSlow: {
    fires: { nodejs_eventloop_lag_p99_seconds: always(0.6) },
    quiet: { nodejs_eventloop_lag_p99_seconds: always(0.4) },
  },
  HeapNearlyFull: {
    fires: { nodejs_heap_size_used_bytes: always(91), nodejs_heap_limit_bytes: always(100) },
    quiet: { nodejs_heap_size_used_bytes: always(89), nodejs_heap_limit_bytes: always(100) },
  },
  RequestMemoryFull: {
    fires: { 'request_memory_bytes{use="received"}': always(91), 'request_memory_limit_bytes{use="received"}': always(100) },
    quiet: { 'request_memory_bytes{use="received"}': always(89), 'request_memory_limit_bytes{use="received"}': always(100) },
  },
  OpenFilesNearlyAll: {
    fires: { process_open_fds: always(91), process_max_fds: always(100) },
    quiet: { process_open_fds: always(89), process_max_fds: always(100) },
  },
  DatabaseSlow: {
    fires: durations('database_statement_duration_seconds', 'instance="a"', '1', '2.5'),
    quiet: durations('database_statement_duration_seconds', 'instance="a"', '0.5', '1'),
  },
  DatabaseFails: {
    fires: { [statements('failed')]: rising(2), [statements('ok')]: rising(98) },
    quiet: { [statements('failed')]: always(5), [statements('conflict')]: rising(50), [statements('ok')]: rising(50) },
  },
  DatabaseQueueLong: {
    fires: { database_statements_pending: always(1_001) },
    quiet: { database_statements_pending: always(999) },
  },
  BlobStoreFails: {
    fires: { 'blob_store_calls_total{instance="a",call="put",outcome="unavailable"}': rising(1) },
    quiet: { 'blob_store_calls_total{instance="a",call="put",outcome="interrupted"}': rising(60) },
  },
  DiskNearlyFull: {
    fires: { 'disk_free_bytes{folder="data"}': always(1_000_000_000) },
    quiet: { 'disk_free_bytes{folder="data"}': always(1_100_000_000) },
  },
  MailWaits: {
    fires: { email_queue_oldest_seconds: always(901) },
    quiet: { email_queue_oldest_seconds: always(899) },
  },
  MailsFail: {
    fires: { [mails('failed')]: rising(21), [mails('sent')]: rising(79), [mails('queued')]: rising(1_000) },
    quiet: { [mails('failed')]: rising(19), [mails('sent')]: rising(81) },
  },
  RenderingsFail: {
    fires: { [jobs('timeout')]: rising(6), [jobs('died')]: rising(6), [jobs('ok')]: rising(88) },
    quiet: { [jobs('timeout')]: rising(9), [jobs('refused')]: rising(50), [jobs('ok')]: rising(41) },
  },
  RenderQueueLong: { fires: { render_queue_length: always(21) }, quiet: { render_queue_length: always(20) } },
  WebSocketsRefused: {
    fires: { 'websocket_refused_total{instance="a",status="503"}': rising(1) },
    quiet: { 'websocket_refused_total{instance="a",status="404"}': rising(60) },
  },
  LogTampered: { fires: { log_seal_refusals_total: always(1) }, quiet: { log_seal_refusals_total: always(0) } },
  LogNotSealed: { fires: { log_sealing_blocked: always(1) }, quiet: { log_sealing_blocked: always(0) } },
  BackgroundWorkStopped: {
    fires: {
      'background_work_last_success_timestamp_seconds{instance="a",work="w"}': always(0),
      'background_work_interval_seconds{instance="a",work="w"}': always(220),
    },
    quiet: {
      'background_work_last_success_timestamp_seconds{instance="a",work="w"}': always(0),
      'background_work_interval_seconds{instance="a",work="w"}': always(1),
      'background_work_last_success_timestamp_seconds{instance="b",work="w"}': rising(60),
      'background_work_last_success_timestamp_seconds{instance="a",work="daily"}': always(0),
      'background_work_interval_seconds{instance="a",work="daily"}': always(86_400),
    },
  },
  PersonErasureFails: {
    fires: { 'person_erasures_total{outcome="failed"}': rising(1) },
    quiet: { 'person_erasures_total{outcome="failed"}': '0+0x10 1+0x19', 'person_erasures_total{outcome="ok"}': rising(60) },
  },
  TenantDeletionFails: {
    fires: { 'tenant_deletions_total{outcome="failed"}': rising(1) },
    quiet: { 'tenant_deletions_total{outcome="failed"}': '0+0x10 1+0x19', 'tenant_deletions_total{outcome="ok"}': rising(60) },
  },
};

const testOf = (name: string, series: Series, firing: string[]) => ({
  name,
  interval: '1m',
  input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
  promql_expr_test: [
    {
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: '20m',
      exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    },
  ],
});

describe('alerts of deploy/prometheus', () => {
  const names = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);

  it('are all tested here, and have a line in docs/troubleshoot.md', () => {
    expect(Object.keys(CASES)).toEqual(names);
    const [, section = ''] = /^## Alerts\n(.*?)^## /ms.exec(readFileSync(pathOf('docs/troubleshoot.md'), 'utf8')) ?? [];
    expect([...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(names);
  });
});

describeWithPrometheus('the alerts of deploy/prometheus, judged by promtool', () => {
  const folder = dataFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const judge = async (tests: unknown[]) => {
    const file = join(folder, 'tests.json');
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
    await run('promtool', ['test', 'rules', file]);
  };

  it('are well-formed, and so is the example configuration', async () => {
    await run('promtool', ['check', 'rules', '--lint-fatal', RULES]);
    await run('promtool', ['check', 'config', pathOf('deploy/prometheus/prometheus.yml')]);
  });

  it('fire when they should, each alone', async () => {
    await judge(Object.entries(CASES).map(([name, { fires }]) => testOf(name, fires, [name])));
  });

  it('do not fire below their thresholds', async () => {
    await judge(Object.entries(CASES).map(([name, { quiet }]) => testOf(name, quiet, [])));
  });
});
