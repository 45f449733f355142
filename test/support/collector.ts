import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';
import { until } from './websockets.js';

/** The OTLP messages that tests read, with their field numbers; a decoder skips all others. */
const { root } = protobuf.parse(
  `syntax = "proto3";
  message Value { oneof value { string text = 1; bool flag = 2; int64 whole = 3; double number = 4; } }
  message Attribute { string key = 1; Value value = 2; }
  message Resource { repeated Attribute attributes = 1; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { int32 code = 3; }
  message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
    int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated Attribute attributes = 9;
    repeated Link links = 13; Status status = 15; }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message Number { double as_double = 4; sfixed64 as_int = 6; repeated Attribute attributes = 7; }
  message HistogramPoint { fixed64 count = 4; double sum = 5; repeated fixed64 bucket_counts = 6;
    repeated double explicit_bounds = 7; repeated Attribute attributes = 9; }
  message Gauge { repeated Number data_points = 1; }
  message Sum { repeated Number data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
  message Histogram { repeated HistogramPoint data_points = 1; }
  message Metric { string name = 1; string description = 2; Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message Metrics { repeated ResourceMetrics resource_metrics = 1; }`,
);

type Attributes = Record<string, string | number | boolean>;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  kind: number;
  isFailed: boolean;
  attributes: Attributes;
  resource: Attributes;
  links: string[];
}

export interface ReceivedMetric {
  name: string;
  points: { attributes: Attributes; value: number; buckets?: number[] }[];
}

/** An OpenTelemetry collector that stores what it receives by OTLP over HTTP, in protobuf. */
export class Collector {
  /** `silent`: accepts requests and never responds. */
  mode: 'taking' | 'refusing' | 'silent' = 'taking';
  spans: ReceivedSpan[] = [];
  metrics = new Map<string, ReceivedMetric>();
  /** All bodies, as received. */
  readonly bytes: Buffer[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  asked = 0;
  private readonly server: Server = createServer((request, response) => void this.take(request, response));

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.server.listen(0, '127.0.0.1');
    await once(collector.server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Settings of a server that exports here, with metrics every second. */
  get settings(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_METRIC_EXPORT_INTERVAL: '1000' };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Returns the spans of a trace once they satisfy a condition. */
  trace(traceId: string, is: (spans: ReceivedSpan[]) => boolean): Promise<ReceivedSpan[]> {
    return until(() => {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      return is(spans) ? spans : undefined;
    });
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked++;
    if (this.mode === 'silent') return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.mode === 'refusing') return void response.writeHead(500).end();
    const body = Buffer.concat(chunks);
    this.bytes.push(body);
    this.headers.push(request.headers);
    if (request.url === '/v1/traces') this.takeSpans(body);
    else if (request.url === '/v1/metrics') this.takeMetrics(body);
    else return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }

  private takeSpans(body: Buffer): void {
    for (const { resource, scopeSpans } of decoded('Traces', body).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope: any) => scope.spans)) {
        this.spans.push({
          traceId: hex(span.traceId),
          spanId: hex(span.spanId),
          parentId: hex(span.parentSpanId),
          name: span.name,
          kind: span.kind,
          isFailed: span.status?.code === 2,
          attributes: attributesOf(span),
          resource: attributesOf(resource),
          links: span.links.map(({ spanId }: any) => hex(spanId)),
        });
      }
    }
  }

  private takeMetrics(body: Buffer): void {
    for (const { scopeMetrics } of decoded('Metrics', body).resourceMetrics) {
      for (const metric of scopeMetrics.flatMap((scope: any) => scope.metrics)) {
        const points = (metric.sum ?? metric.gauge ?? metric.histogram).dataPoints.map((point: any) => ({
          attributes: attributesOf(point),
          value: Number(point.count ?? point.asDouble ?? point.asInt),
          buckets: point.bucketCounts?.map(Number),
        }));
        this.metrics.set(metric.name, { name: metric.name, points });
      }
    }
  }
}

function decoded(type: string, body: Buffer): any {
  const Type = root.lookupType(type);
  return Type.toObject(Type.decode(body), { longs: String, arrays: true });
}

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

function attributesOf({ attributes }: { attributes: { key: string; value: any }[] }): Attributes {
  const valueOf = ({ text, flag, whole, number }: any) => text ?? flag ?? number ?? Number(whole);
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

/** Returns trace headers of a caller. */
export function callerTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: 'shop=17' } };
}

/** Returns whether a span is a descendant of another. */
export function isBelow(span: ReceivedSpan, ancestor: ReceivedSpan, all: ReceivedSpan[]): boolean {
  if (span.parentId === ancestor.spanId) return true;
  const parent = all.find(({ spanId }) => spanId === span.parentId);
  return parent !== undefined && isBelow(parent, ancestor, all);
}

export const named = (spans: ReceivedSpan[], name: string | RegExp) => spans.filter((span) => new RegExp(name).test(span.name));
