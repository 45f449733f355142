import {
  type Context,
  createTraceState,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkKind,
  type SpanContext,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
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
import { type Attributes, rootBegan, rootEnded, type Span, type SpanKind, type SpanOptions } from '../tracing/spans.js';
import { carried, readCarried, type TraceContext } from '../tracing/trace-context.js';
import { Tracer } from '../tracing/tracer.js';
import type { ExportReports } from './export-reports.js';

/** Spans that wait for the collector; any more are dropped. Each has a few hundred bytes, up to some KiB. */
const MAX_WAITING = 8_192;
const BATCH = 512;
const EXPORT_EVERY_MS = 1_000;
export const EXPORT_TIMEOUT_MS = 5_000;
/** How much longer the queue waits than the exporter, which gives up by itself. */
const GRACE_MS = 500;
const MAX_ATTRIBUTE_CHARACTERS = 1_024;
const MAX_ATTRIBUTES = 32;

const KINDS: Record<SpanKind, SdkKind> = {
  internal: SdkKind.INTERNAL,
  server: SdkKind.SERVER,
  client: SdkKind.CLIENT,
  producer: SdkKind.PRODUCER,
  consumer: SdkKind.CONSUMER,
};

/** Records spans, and sends them to a collector in batches. Nothing waits for the collector. */
export class OtlpTracer extends Tracer {
  readonly isOn = true;
  private readonly provider: TracerProvider;
  private readonly sdk: SdkTracer;

  constructor(settings: TelemetrySettings, reports: ExportReports) {
    super();
    const exporter = new OTLPTraceExporter({
      url: settings.tracesUrl,
      headers: settings.headers,
      timeoutMillis: EXPORT_TIMEOUT_MS,
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes(settings.resource),
      sampler: samplerOf(settings),
      spanProcessors: [new BoundedQueue(exporter, reports)],
      spanLimits: { attributeCountLimit: MAX_ATTRIBUTES, attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS },
    });
    this.sdk = this.provider.getTracer('platform-services');
  }

  begin(name: string, options: SpanOptions, from?: TraceContext): Span | undefined {
    const parent = from ? trace.setSpanContext(ROOT_CONTEXT, sdkContextOf(from)) : ROOT_CONTEXT;
    const span = startSpan(this.sdk, name, options, parent);
    return span.isRecording() ? new OtlpSpan(this.sdk, span, undefined) : undefined;
  }

  resume(text: string | null | undefined, name: string, options: SpanOptions): Span | undefined {
    const from = text ? readCarried(text) : undefined;
    return from && this.begin(name, options, from);
  }

  /** Sends what waits. Rejects if the collector does not take it. */
  shutdown(): Promise<void> {
    return this.provider.shutdown();
  }
}

class OtlpSpan implements Span {
  hasEnded = false;

  constructor(
    private readonly tracer: SdkTracer,
    private readonly span: SdkSpan,
    readonly parent: Span | undefined,
  ) {
    if (!parent) rootBegan();
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get carried(): string {
    const { traceId, spanId, traceFlags, traceState } = this.span.spanContext();
    return carried({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) === 1, state: traceState?.serialize() });
  }

  child(name: string, options: SpanOptions): Span {
    const started = startSpan(this.tracer, name, options, trace.setSpan(ROOT_CONTEXT, this.span));
    return new OtlpSpan(this.tracer, started, this);
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  end(error?: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (error !== undefined) {
      this.span.setAttribute('error.type', typeOf(error));
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
    if (!this.parent) rootEnded();
  }
}

/** Counts what the queue of the SDK loses, which it does not tell. */
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
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: EXPORT_EVERY_MS,
      exportTimeoutMillis: EXPORT_TIMEOUT_MS + GRACE_MS,
    });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
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

function startSpan(tracer: SdkTracer, name: string, options: SpanOptions, parent: Context): SdkSpan {
  const { kind, attributes, links = [], beganAt: startTime } = options;
  return tracer.startSpan(name, { kind: KINDS[kind], attributes, links: links.flatMap(linkTo), startTime }, parent);
}

function linkTo(text: string): Link[] {
  const context = readCarried(text);
  return context ? [{ context: sdkContextOf(context) }] : [];
}

function sdkContextOf({ traceId, spanId, isSampled, state }: TraceContext): SpanContext {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId, traceFlags, isRemote: true, traceState: state ? createTraceState(state) : undefined };
}

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

/** Returns a code or a class: messages may quote what a caller sent. */
function typeOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, cause, name } = error as { code?: unknown; cause?: { kind?: unknown }; name?: string };
  const found = [code, cause?.kind, name].find((one) => typeof one === 'string' && /^\w{1,64}$/.test(one));
  return (found as string | undefined) ?? 'Error';
}
