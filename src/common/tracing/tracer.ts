import type { Span, SpanOptions } from './spans.js';
import type { TraceContext } from './trace-context.js';

/** Begins traces. Also the injection token. All other spans are children: `beginChild` and `traced` need no tracer. */
export abstract class Tracer {
  /** False: no work is ever recorded. */
  abstract readonly isOn: boolean;

  /** Begins a span in the trace of `from`, or in a new one. Returns undefined for what is not sampled. */
  abstract begin(name: string, options: SpanOptions, from?: TraceContext): Span | undefined;

  /** Continues a trace that a row or a message carries; undefined without one. */
  abstract resume(carried: string | null | undefined, name: string, options: SpanOptions): Span | undefined;
}

/** Records nothing. */
export class NoTracer extends Tracer {
  readonly isOn = false;

  begin(): undefined {
    return undefined;
  }

  resume(): undefined {
    return undefined;
  }
}
