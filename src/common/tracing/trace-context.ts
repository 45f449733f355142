import type { IncomingHttpHeaders } from 'node:http';
import { createTraceState, type Span, type SpanContext, TraceFlags } from '@opentelemetry/api';

/** Version, trace id, parent id and flags of a W3C traceparent. Versions after 00 may add more. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const EXACT_LENGTH = 55;

/** Returns the span that a request continues, from its W3C headers; undefined without a valid traceparent. */
export function traceContextOf({ traceparent, tracestate }: IncomingHttpHeaders): SpanContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (!traceId || !spanId || (version === '00' && traceparent.length !== EXACT_LENGTH)) return undefined;
  const traceState = typeof tracestate === 'string' ? createTraceState(tracestate) : undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) & TraceFlags.SAMPLED, isRemote: true, traceState };
}

/** Formats a context as one line of text, to be stored in a row or a message. */
export function carried({ traceId, spanId, traceFlags, traceState }: SpanContext): string {
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  const state = traceState?.serialize();
  return state ? `${traceparent} ${state}` : traceparent;
}

/** Parses the text of `carried`; undefined for any other text. */
export function readCarried(text: string): SpanContext | undefined {
  const end = text.indexOf(' ');
  if (end === -1) return traceContextOf({ traceparent: text });
  return traceContextOf({ traceparent: text.slice(0, end), tracestate: text.slice(end + 1) });
}

/** Returns the trace of a request for its log lines: the recorded one, or the one that its caller sent. */
export function traceIdOf({ span, headers }: { span?: Span; headers: IncomingHttpHeaders }): string | undefined {
  return (span?.spanContext() ?? traceContextOf(headers))?.traceId;
}
