import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** What GET /metrics shows, in the text format of Prometheus. */
export class Metrics {
  readonly registry = new Registry();

  readonly operations = new Counter({
    name: 'graphql_operations_total',
    help: 'GraphQL root fields that were asked for, by outcome: ok or the error code',
    labelNames: ['service', 'operation', 'outcome'],
    registers: [this.registry],
  });
  readonly operationDuration = new Histogram({
    name: 'graphql_request_duration_seconds',
    help: 'Time from the parsed request to its answer',
    labelNames: ['service', 'operation'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly httpDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly requestMemory = new Gauge({
    name: 'request_memory_bytes',
    help: 'Memory that requests under way have reserved, by use: received (bodies), answered (rows and answers)',
    labelNames: ['use'],
    registers: [this.registry],
  });
  readonly contentBytes = new Counter({
    name: 'file_content_bytes_total',
    help: 'Bytes of file content that passed through this process',
    labelNames: ['direction'],
    registers: [this.registry],
  });
  readonly renderJobs = new Counter({
    name: 'render_jobs_total',
    help: 'Jobs of the render processes, by outcome: ok, refused, fault, timeout, starved, memory, died, queue_full, waited, unavailable',
    labelNames: ['kind', 'outcome'],
    registers: [this.registry],
  });
  readonly renderQueue = new Gauge({
    name: 'render_queue_length',
    help: 'Jobs that wait for a render process',
    registers: [this.registry],
  });
  readonly sealedLeaves = new Counter({
    name: 'log_sealed_leaves_total',
    help: 'Records and edits of the document log that this process sealed',
    registers: [this.registry],
  });
  readonly sealRefusals = new Counter({
    name: 'log_seal_refusals_total',
    help: 'Records and edits of the document log that were not sealed because their MAC is wrong',
    registers: [this.registry],
  });
  readonly webSockets = new Gauge({
    name: 'websocket_connections',
    help: 'Open WebSocket connections of this process',
    registers: [this.registry],
  });
  readonly closedWebSockets = new Counter({
    name: 'websocket_closed_total',
    help: 'WebSocket connections that ended, by close code',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly refusedUpgrades = new Counter({
    name: 'websocket_refused_total',
    help: 'Upgrades that were refused, by HTTP status',
    labelNames: ['status'],
    registers: [this.registry],
  });
  readonly pushedMessages = new Counter({
    name: 'push_messages_total',
    help: 'Messages that were made by pushes, one per recipient, or one per global message',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  readonly settledMessages = new Counter({
    name: 'push_settled_total',
    help: 'What connections told of messages: confirmed, allBroke',
    labelNames: ['event'],
    registers: [this.registry],
  });
  readonly busUp = new Gauge({
    name: 'bus_up',
    help: '1 while messages through the bus come back, else 0',
    registers: [this.registry],
  });

  readonly emails = new Counter({
    name: 'emails_total',
    help: 'Mails that this process dealt with, by outcome: queued, sent, failed, deferred (an attempt that is repeated later)',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly emailQueue = new Gauge({
    name: 'email_queue_length',
    help: 'Mails of all nodes that are accepted and neither sent nor given up',
    registers: [this.registry],
  });
  readonly emailQueueAge = new Gauge({
    name: 'email_queue_oldest_seconds',
    help: 'Age of the oldest mail in the queue; 0 when it is empty',
    registers: [this.registry],
  });
  readonly diskFree = new Gauge({
    name: 'disk_free_bytes',
    help: 'Room on the disk of a folder that this process writes to: data, and database where that lies elsewhere',
    labelNames: ['folder'],
    registers: [this.registry],
  });
  readonly diskShort = new Gauge({
    name: 'disk_short',
    help: '1 while the disk of a folder has only the room left that is kept for the database, and uploads are refused; else 0',
    labelNames: ['folder'],
    registers: [this.registry],
  });
  private readonly collectors: (() => Promise<void>)[] = [];

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** For figures that have to be looked up; called before each reading. One that fails leaves its figures as they were. */
  beforeReading(collect: () => Promise<void>): void {
    this.collectors.push(collect);
  }

  async read(): Promise<string> {
    await Promise.allSettled(this.collectors.map((collect) => collect()));
    return this.registry.metrics();
  }
}
