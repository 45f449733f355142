import { AsyncLocalStorage } from 'node:async_hooks';

/** Ids, counts and names of our own: never contents, addresses, names of files or tokens. */
export type Attributes = Record<string, string | number | boolean>;
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanOptions {
  kind: SpanKind;
  attributes?: Attributes;
  /** Carried contexts of other spans that have a part in it. */
  links?: string[];
  /** Milliseconds since 1970; left out, it begins now. */
  beganAt?: number;
}

/** A piece of work with its time, in a trace. Exists only where it is recorded. */
export interface Span {
  readonly traceId: string;
  /** The context, as text, by which later work and other nodes continue the trace. */
  readonly carried: string;
  readonly parent: Span | undefined;
  readonly hasEnded: boolean;
  child(name: string, options: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** `error` marks the work as failed by its code or class; its message may have what a caller sent. */
  end(error?: unknown): void;
}

/** The place in a trace of the work under way. */
interface Scope {
  span: Span | undefined;
  /** Carried contexts of the other callers of shared work. */
  links?: string[];
}

const scopes = new AsyncLocalStorage<Scope>();
let openRoots = 0;
const MAX_LINKS = 32;

/** To be called when a span without a parent in this process begins. */
export function rootBegan(): void {
  openRoots++;
}

/** To be called when it ends. Before Node 24 each promise costs more while any scope is in use, in requests that are not recorded too. */
export function rootEnded(): void {
  if (--openRoots === 0) scopes.disable();
}

/** Returns the span that the work under way belongs to. Work that outlives its span, such as a loop that a request woke, has none. */
export function currentSpan(): Span | undefined {
  let span = scopes.getStore()?.span;
  while (span?.hasEnded) span = span.parent;
  return span;
}

/** Runs work as part of a span, which the caller ends; without one, as part of no trace. */
export function within<T>(span: Span | undefined, work: () => T): T {
  return span || scopes.getStore() ? scopes.run({ span }, work) : work();
}

/** Begins a child of the span under way, for work without children; undefined outside of a trace. */
export function beginChild(name: string, options: SpanOptions): Span | undefined {
  const span = currentSpan();
  if (!span) return undefined;
  const links = scopes.getStore()?.links;
  return span.child(name, links ? { ...options, links } : options);
}

/** Begins a child to which all belongs that the work under way does until the child ends. */
export function enterChild(name: string, options: SpanOptions): Span | undefined {
  const span = beginChild(name, options);
  if (span) scopes.getStore()!.span = span;
  return span;
}

/** Runs work in a child of the span under way. Outside of a trace it only runs it. */
export function traced<T>(name: string, options: SpanOptions, work: (span?: Span) => Promise<T>): Promise<T> {
  const span = beginChild(name, options);
  return span ? untilDone(span, work) : work();
}

async function untilDone<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    const result = await scopes.run({ span }, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Runs work that several callers share: as part of the first trace among them, linked to the others. */
export function shared<T>(spans: (Span | undefined)[], work: () => T): T {
  const [span, ...others] = new Set(spans.filter((one) => one !== undefined && !one.hasEnded));
  if (!span && !scopes.getStore()) return work();
  return scopes.run({ span, links: others.slice(0, MAX_LINKS).map((other) => other!.carried) }, work);
}
