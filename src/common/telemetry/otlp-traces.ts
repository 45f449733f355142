import { trace } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from '../config/settings/telemetry-settings.js';
import { rootBegan, rootEnded } from '../tracing/spans.js';
import type { ExportReports } from './export-reports.js';

/** Maximum number of spans waiting for the collector; more are dropped. Each takes a few hundred bytes, up to some KiB. */
const MAX_WAITING = 8_192;
const SPANS_PER_EXPORT = 512;
const EXPORT_EVERY_MS = 1_000;
export const EXPORT_TIMEOUT_MS = 5_000;
/** Additional wait of the queue beyond the exporter's own timeout. */
const GRACE_MS = 500;
const MAX_ATTRIBUTE_CHARACTERS = 1_024;
const MAX_ATTRIBUTES = 32;

/** Records spans and sends them to a collector in batches. Requests never wait for the collector. */
export class OtlpTraces {
  private readonly provider: TracerProvider;

  constructor(settings: TelemetrySettings, reports: ExportReports) {
    const { tracesUrl: url, headers, resource } = settings;
    this.provider = new TracerProvider({
      resource: resourceFromAttributes(resource),
      sampler: samplerOf(settings),
      spanProcessors: [new BoundedQueue(new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS }), reports)],
      spanLimits: { attributeCountLimit: MAX_ATTRIBUTES, attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS },
    });
    trace.setGlobalTracerProvider(this.provider);
  }

  /** Exports the waiting spans. Rejects if the collector does not accept them. */
  shutdown(): Promise<void> {
    trace.disable();
    return this.provider.shutdown();
  }
}

/** Counts the spans that the queue of the SDK drops silently. */
class BoundedQueue implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private waiting = 0;

  constructor(
    exporter: SpanExporter,
    private readonly reports: ExportReports,
  ) {
    this.batches = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => {
          this.waiting -= spans.length;
          exporter.export(spans, (result) => {
            reports.finished('traces', spans.length, result.code === ExportResultCode.SUCCESS, result.error);
            done(result);
          });
        },
        shutdown: () => exporter.shutdown(),
      },
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: SPANS_PER_EXPORT,
      scheduledDelayMillis: EXPORT_EVERY_MS,
      exportTimeoutMillis: EXPORT_TIMEOUT_MS + GRACE_MS,
    });
  }

  onStart(span: ReadableSpan): void {
    if (isRoot(span)) rootBegan();
  }

  onEnd(span: ReadableSpan): void {
    if (isRoot(span)) rootEnded();
    if (this.waiting >= MAX_WAITING) return this.reports.dropped();
    this.waiting++;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }
}

const isRoot = ({ parentSpanContext: parent }: ReadableSpan): boolean => !parent || parent.isRemote === true;

function samplerOf({ sampler, ratio }: TelemetrySettings): Sampler {
  const [, isParentBased, kind] = /^(parentbased_)?(.*)$/.exec(sampler)!;
  const root =
    kind === 'always_on'
      ? new AlwaysOnSampler()
      : kind === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}
