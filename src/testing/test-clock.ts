import { badInput } from '../common/base/app-error.js';

const REAL = Date;
/** Maximum offset, a hundred years: beyond it, times no longer fit their columns. */
const MAX_OFFSET_MS = 100 * 365.25 * 24 * 3_600_000;

/**
 * Lets a test advance the clock of this process, never back, since ids and times only grow. It affects everything that reads the time
 * of day: expiry, tokens, signatures, retries. Timers and measured durations are unaffected, and so are open connections and running
 * requests.
 */
export class TestClock {
  private offsetMs = 0;

  /** Replaces the global Date. Must be called before the first request. */
  start(): void {
    const now = (): number => REAL.now() + this.offsetMs;
    globalThis.Date = new Proxy(REAL, {
      construct: (target, args: unknown[], newTarget) =>
        Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
      apply: () => new REAL(now()).toString(),
      get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
    });
  }

  stop(): void {
    globalThis.Date = REAL;
  }

  /** Advances the clock. @throws BAD_USER_INPUT */
  advance(ms: unknown): void {
    const isUsable = Number.isSafeInteger(ms) && (ms as number) >= 0 && this.offsetMs + (ms as number) <= MAX_OFFSET_MS;
    if (!isUsable) throw badInput('advanceMs', 'must be a whole number of milliseconds, 0 or more; at most 100 years in total');
    this.offsetMs += ms as number;
  }

  read(): { now: string; offsetMs: number } {
    return { now: new Date().toISOString(), offsetMs: this.offsetMs };
  }
}
