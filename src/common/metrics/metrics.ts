import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type MetricObject,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from 'prom-client';

export type { Counter, Gauge, Histogram };
export type Figures = MetricObject[];
/** Metrics with their values, of one process or aggregated over several. */
export type ReadFigures = MetricObjectWithValues<MetricValueWithName<string>>[];

type Options<C extends { registers?: unknown }> = Omit<C, 'registers'>;

/** Maximum wait of a reading for metrics from other sources. */
const COLLECT_MS = 1_500;
/** Interval of the timer that measures event loop lag. The default of 10 ms takes 4 ms/s of an idle process. */
const LAG_EVERY_MS = 100;
const LAGS = ['min', 'max', 'mean', 'p50', 'p90', 'p99'].map((figure) => `nodejs_eventloop_lag_${figure}_seconds`);
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/**
 * Metrics of GET /metrics, in the text format of Prometheus. Contains those of requests and of the node; each module registers its
 * own.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly operations = this.counter({
    name: 'graphql_operations_total',
    help: 'Requested GraphQL root fields, by outcome: ok or the error code',
    labelNames: ['service', 'operation', 'outcome'],
  });
  readonly operationDuration = this.seconds({
    name: 'graphql_request_duration_seconds',
    help: 'Time from the parsed request to its answer',
    labelNames: ['service', 'operation'],
  });
  readonly httpDuration = this.seconds({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
  });
  readonly requestMemory = this.gauge({
    name: 'request_memory_bytes',
    help: 'Memory reserved by running requests, by use: received (bodies), answered (rows and answers)',
    labelNames: ['use'],
  });
  readonly requestMemoryLimit = this.gauge({
    name: 'request_memory_limit_bytes',
    help: 'Maximum memory that running requests can reserve, by use',
    labelNames: ['use'],
  });
  readonly heapLimit = this.gauge({
    name: 'nodejs_heap_limit_bytes',
    help: 'Maximum size of the heap, above which the process terminates',
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
    help: '1 while only the space reserved for the database is left on the disk of a folder, so uploads are refused; else 0',
    labelNames: ['folder'],
  });

  private readonly collectors: (() => Promise<void>)[] = [];

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
    for (const name of LAGS) this.countFromDue(name);
  }

  counter<L extends string>(options: Options<CounterConfiguration<L>>): Counter<L> {
    return new Counter({ ...options, registers: [this.registry] });
  }

  gauge<L extends string>(options: Options<GaugeConfiguration<L>>): Gauge<L> {
    return new Gauge({ ...options, registers: [this.registry] });
  }

  /** Creates a histogram of durations. */
  seconds<L extends string>(options: Omit<Options<HistogramConfiguration<L>>, 'buckets'>): Histogram<L> {
    return new Histogram({ ...options, buckets: SECONDS, registers: [this.registry] });
  }

  /** Creates a histogram of counts. */
  sizes<L extends string>(options: Omit<Options<HistogramConfiguration<L>>, 'buckets'>): Histogram<L> {
    return new Histogram({ ...options, buckets: SIZES, registers: [this.registry] });
  }

  /**
   * Adds a function that updates metrics before each reading. If it fails or takes longer than 1.5 s, they keep their values: a reading
   * must finish within the timeout of Prometheus, even while the database is silent.
   */
  beforeReading(collect: () => Promise<void>): void {
    let running: Promise<void> | undefined;
    this.collectors.push(() => (running ??= collect().finally(() => (running = undefined))));
  }

  async read(): Promise<string> {
    await this.collect();
    return this.registry.metrics();
  }

  /** Returns the metrics of this process. */
  async figures(): Promise<Figures> {
    await this.collect();
    return this.registry.getMetricsAsJSON();
  }

  /** Subtracts the timer interval from a lag, since prom-client reports the time between two timer calls. */
  private countFromDue(name: string): void {
    const gauge = this.registry.getSingleMetric(name) as Gauge;
    const set = gauge.set.bind(gauge) as (labels: object, seconds: number) => void;
    gauge.set = ((labels: object, seconds: number) => set(labels, Math.max(0, seconds - LAG_EVERY_MS / 1_000))) as Gauge['set'];
  }

  private async collect(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, COLLECT_MS)));
    await Promise.race([Promise.allSettled(this.collectors.map((collect) => collect())), patience]);
    clearTimeout(timer);
  }
}

/** Aggregates the metrics of several processes, each metric by its `aggregator`. */
export function together(figures: Figures[]): Registry {
  return AggregatorRegistry.aggregate(figures);
}
