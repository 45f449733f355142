import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type MetricObject,
  Registry,
} from 'prom-client';

export type { Counter, Gauge };
export type Figures = MetricObject[];

type Options<C extends { registers?: unknown }> = Omit<C, 'registers'>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/**
 * The metrics of GET /metrics, in the text format of Prometheus. Here are those of requests and of the node; each module
 * registers its own.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly operations = this.counter({
    name: 'graphql_operations_total',
    help: 'Requested GraphQL root fields, by outcome: ok or the error code',
    labelNames: ['service', 'operation', 'outcome'],
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
  readonly requestMemory = this.gauge({
    name: 'request_memory_bytes',
    help: 'Memory that requests under way have reserved, by use: received (bodies), answered (rows and answers)',
    labelNames: ['use'],
  });

  readonly diskFree = this.gauge({
    name: 'disk_free_bytes',
    aggregator: 'min',
    help: 'Free bytes on the disk of a folder that this process writes to: data, and database if that is elsewhere',
    labelNames: ['folder'],
  });
  readonly diskShort = this.gauge({
    name: 'disk_short',
    aggregator: 'max',
    help: '1 while only the room kept for the database is left on the disk of a folder, and uploads are refused; else 0',
    labelNames: ['folder'],
  });

  private readonly collectors: (() => Promise<void>)[] = [];

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  counter<L extends string>(options: Options<CounterConfiguration<L>>): Counter<L> {
    return new Counter({ ...options, registers: [this.registry] });
  }

  gauge<L extends string>(options: Options<GaugeConfiguration<L>>): Gauge<L> {
    return new Gauge({ ...options, registers: [this.registry] });
  }

  /** Adds a function that looks figures up before each reading. If it fails, its figures stay as they were. */
  beforeReading(collect: () => Promise<void>): void {
    this.collectors.push(collect);
  }

  async read(): Promise<string> {
    await this.collect();
    return this.registry.metrics();
  }

  /** Returns the figures of this process, for another one to add to its own. */
  async figures(): Promise<Figures> {
    await this.collect();
    return this.registry.getMetricsAsJSON();
  }

  /** Reads the figures of several processes as one. */
  async readAll(others: Figures[]): Promise<string> {
    return AggregatorRegistry.aggregate([await this.figures(), ...others]).metrics();
  }

  private async collect(): Promise<void> {
    await Promise.allSettled(this.collectors.map((collect) => collect()));
  }
}
