// Room: Spans, and the trace context of a request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, type Span, type SpanContext, type SpanOptions, SpanStatusCode, trace } from '@opentelemetry/api';
import { carried, readCarried } from './trace-context.js';

// OpenTelemetry's API provides the spans, and records nothing until its SDK is loaded. Attributes are only ids, counts and internal
// names: never contents, addresses, file names or tokens.
export { type Attributes, type Span, SpanKind, type SpanOptions } from '@opentelemetry/api';

/** Span of the running work. */
interface Scope {
  span: Span | undefined;
  /** Other callers of shared work. */
  links?: SpanOptions['links'];
  outer?: Scope | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
let openRoots = 0;
const MAX_LINKS = 32;

/** Called when a span without a parent in this process begins. */
export function rootBegan(): void {
  openRoots++;
}

/**
 * Called when a span without a parent in this process ends. Disables the scopes after the last one: before Node 24, each promise costs
 * more while any scope is in use, even in untraced requests.
 */
export function rootEnded(): void {
  if (--openRoots === 0) scopes.disable();
}

const start = (name: string, options: SpanOptions, parent = ROOT_CONTEXT): Span =>
  trace.getTracer('platform-services').startSpan(name, options, parent);

/** Begins a span in the trace of `from`, or in a new one. Returns undefined if it is not recorded. */
export function begin(name: string, options: SpanOptions, from?: SpanContext): Span | undefined {
  const span = start(name, options, from && trace.setSpanContext(ROOT_CONTEXT, from));
  return span.isRecording() ? span : undefined;
}

/** Continues a trace stored in a row or a message; returns undefined without one. */
export function resume(text: string | null | undefined, name: string, options: SpanOptions): Span | undefined {
  const from = text ? readCarried(text) : undefined;
  return from && begin(name, options, from);
}

/**
 * Returns the span of the running work. Work that outlives its span, such as a loop woken by a request, has none.
 */
export function currentSpan(): Span | undefined {
  let scope = scopes.getStore();
  while (scope?.span && !scope.span.isRecording()) scope = scope.outer;
  return scope?.span;
}

/** Serializes the current trace context, so that later work and other nodes can continue the trace. */
export function currentTrace(): string | undefined {
  const span = currentSpan();
  return span && carried(span.spanContext());
}

/** Runs work within a span, which the caller ends; without one, outside of any trace. */
export function within<T>(span: Span | undefined, work: () => T): T {
  return span || scopes.getStore() ? scopes.run({ span }, work) : work();
}

/** Begins a child of the current span, for work without children; undefined outside of a trace. */
export function beginChild(name: string, options: SpanOptions): Span | undefined {
  const span = currentSpan();
  if (!span) return undefined;
  const links = scopes.getStore()?.links;
  return start(name, links ? { ...options, links } : options, trace.setSpan(ROOT_CONTEXT, span));
}

/** Begins a child of the current span that is current until it ends. */
export function enterChild(name: string, options: SpanOptions): Span | undefined {
  const span = beginChild(name, options);
  if (span) {
    const scope = scopes.getStore()!;
    Object.assign(scope, { span, outer: { ...scope } });
  }
  return span;
}

/** Runs work in a child of the current span. Outside of a trace it only runs the work. */
export function traced<T>(name: string, options: SpanOptions, work: (span?: Span) => Promise<T>): Promise<T> {
  const span = beginChild(name, options);
  return span ? untilDone(span, work) : work();
}

async function untilDone<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    const result = await scopes.run({ span, outer: scopes.getStore() }, () => work(span));
    span.end();
    return result;
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
}

/** Runs work shared by several callers: within the first trace among them, linked to the others. */
export function shared<T>(spans: (Span | undefined)[], work: () => T): T {
  const [span, ...others] = new Set(spans.filter((one) => one?.isRecording()));
  if (!span && !scopes.getStore()) return work();
  const links = others.slice(0, MAX_LINKS).map((other) => ({ context: other!.spanContext() }));
  return scopes.run({ span, links }, work);
}

/** Ends a span as failed, with the code or class of an error. Its message may contain data of a caller. */
export function endFailed(span: Span | undefined, error: unknown): void {
  span?.setAttribute('error.type', typeOf(error)).setStatus({ code: SpanStatusCode.ERROR }).end();
}

function typeOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, cause, name } = error as { code?: unknown; cause?: { kind?: unknown }; name?: string };
  const found = [code, cause?.kind, name].find((one) => typeof one === 'string' && /^\w{1,64}$/.test(one));
  return (found as string | undefined) ?? 'Error';
}
