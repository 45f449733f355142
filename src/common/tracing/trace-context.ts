import type { IncomingHttpHeaders } from 'node:http';

/** Version, trace id, parent id and flags, by the W3C's Trace Context; versions after 00 may add more. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const EXACT_LENGTH = 55;

/** A span that other work continues, as the headers of the W3C's Trace Context name it. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
  /** Entries that tracing systems on the way added. Passed on, never read. */
  state: string | undefined;
}

/** Returns the span that a caller's request continues; undefined without a valid traceparent. */
export function traceContextOf({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (!traceId || !spanId || (version === '00' && traceparent.length !== EXACT_LENGTH)) return undefined;
  const isSampled = (Number.parseInt(flags!, 16) & 1) === 1;
  return { traceId, spanId, isSampled, state: typeof tracestate === 'string' ? tracestate : undefined };
}

/** Writes a context as one line of text, for a row or a message to carry. */
export function carried({ traceId, spanId, isSampled, state }: TraceContext): string {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return state ? `${traceparent} ${state}` : traceparent;
}

/** Reads what `carried` wrote; undefined for any other text. */
export function readCarried(text: string): TraceContext | undefined {
  const end = text.indexOf(' ');
  if (end === -1) return traceContextOf({ traceparent: text });
  return traceContextOf({ traceparent: text.slice(0, end), tracestate: text.slice(end + 1) });
}

/** Returns the trace of a request for its lines in the log: the recorded one, or the one that its caller names. */
export function traceIdOf({ span, headers }: { span?: { traceId: string }; headers: IncomingHttpHeaders }): string | undefined {
  return span ? span.traceId : traceContextOf(headers)?.traceId;
}
