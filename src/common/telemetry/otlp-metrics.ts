import { ValueType } from '@opentelemetry/api';
import { ExportResultCode, hrTime, millisToHrTime } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { TelemetrySettings } from '../config/settings/telemetry-settings.js';
import type { ReadFigures } from '../metrics/metrics.js';
import type { ExportReports } from './export-reports.js';
import { EXPORT_TIMEOUT_MS } from './otlp-traces.js';

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;
type Figure = ReadFigures[number];
type Labels = Record<string, string | number>;

/** Sends the metrics of /metrics to a collector, under the same names, at the interval of the settings. */
export class OtlpMetrics {
  private readonly provider: MeterProvider;

  /** @param read returns undefined if another worker exports the metrics of the node */
  constructor(settings: TelemetrySettings, reports: ExportReports, read: () => Promise<ReadFigures | undefined>) {
    const { resource: attributes, metricsUrl: url, headers, metricIntervalMs } = settings;
    const resource = resourceFromAttributes(attributes);
    const beganAt = millisToHrTime(Math.round(performance.timeOrigin));
    const producer = {
      collect: async () => {
        const figures = await read();
        const metrics = figures?.flatMap((figure) => metricOf(figure, { startTime: beganAt, endTime: hrTime() }));
        const scopeMetrics = metrics ? [{ scope: { name: 'platform-services' }, metrics }] : [];
        return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
      },
    };
    const reader = new PeriodicExportingMetricReader({
      exporter: reported(new OTLPMetricExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS }), reports),
      metricProducers: [producer],
      exportIntervalMillis: metricIntervalMs,
      exportTimeoutMillis: Math.min(2 * EXPORT_TIMEOUT_MS, metricIntervalMs),
    });
    this.provider = new MeterProvider({ resource, readers: [reader] });
  }

  /** Exports the metrics a last time. */
  shutdown(): Promise<void> {
    return this.provider.shutdown();
  }
}

function reported(exporter: OTLPMetricExporter, reports: ExportReports): PushMetricExporter {
  return {
    export: (metrics, done) =>
      exporter.export(metrics, (result) => {
        reports.finished('metrics', 1, result.code === ExportResultCode.SUCCESS, result.error);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function metricOf({ name, help, type, values }: Figure, times: Times): MetricData[] {
  const shared = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (String(type) === 'histogram')
    return [{ ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(values, times) }];
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: { ...(labels as Labels) }, value }));
  if (String(type) === 'gauge') return [{ ...shared, dataPointType: DataPointType.GAUGE, dataPoints }];
  return [{ ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
}

/** Groups the buckets by their labels. Prometheus counts all values up to a bound, OTLP those within a bucket. */
function histogramsOf(values: Figure['values'], times: Times): DataPoint<Histogram>[] {
  const points = new Map<string, { labels: Labels; bounds: number[]; totals: number[]; sum: number; count: number }>();
  for (const { labels, metricName, value } of values) {
    const { le, ...rest } = labels as Labels;
    const key = JSON.stringify(Object.entries(rest).sort());
    let point = points.get(key);
    if (!point) points.set(key, (point = { labels: rest, bounds: [], totals: [], sum: 0, count: 0 }));
    if (metricName?.endsWith('_sum')) point.sum = value;
    else if (metricName?.endsWith('_count')) point.count = value;
    else if (le !== '+Inf') {
      point.bounds.push(Number(le));
      point.totals.push(value);
    }
  }
  return [...points.values()].map(({ labels, bounds, totals, sum, count }) => {
    const counts = [...totals, count].map((total, index) => total - (totals[index - 1] ?? 0));
    return { ...times, attributes: labels, value: { buckets: { boundaries: bounds, counts }, sum, count } as Histogram };
  });
}
