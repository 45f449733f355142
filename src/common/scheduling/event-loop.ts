import { createHash } from 'node:crypto';
import { TenantScheduler } from './tenant-scheduler.js';
import { MIB } from '../base/amounts.js';

/** Maximum time that one piece of work may hold the event loop. */
const SLICE_MS = 2;
/** Maximum time that lists may take in one turn. It suffices for a usual page: many pages, each half done, would fill the memory. */
const LISTS_MS = 4;
/** Duration below which a turn counts as quiet. An empty turn takes 1 to 4 µs, one that accepts a connection 26 to 80 µs (2026-11-28). */
const QUIET_TURN_MS = 0.01;
/** Bytes that may be read in one turn of the event loop: reading rows blocks all other work. */
const READ_BYTES = 8 * 1024 * 1024;

/**
 * Shares the event loop among long-running work. Each `yield` resolves in its own turn of the loop, which begins a slice of 2 ms.
 * Afterwards, connections and requests get as much time as the slice took. Tenants alternate, regardless of the number of their lists
 * and operations. Background jobs without waiting callers use `setImmediate` of node:timers/promises instead.
 */
class EventLoop {
  private readonly waiting = new TenantScheduler<() => void>();
  private sliceEndsAt = 0;
  private beganAt = 0;
  private isScheduled = false;
  private readBytes = 0;
  private workedMs = 0;
  private endOfLists: number | undefined;

  /** True if the slice is used up, so that `yield` is due. */
  get sliceUsed(): boolean {
    return performance.now() >= this.sliceEndsAt;
  }

  /** True if so many bytes were read in this turn that the caller must `yield` before reading more. */
  get readBudgetExceeded(): boolean {
    return this.readBytes > READ_BYTES;
  }

  /** True if timed work has used a whole slice of this turn, so that the caller must `yield` before it continues. */
  get turnUsed(): boolean {
    return this.workedMs >= SLICE_MS;
  }

  /** Time of `performance.now()` at which lists that began in this turn must `yield`. */
  get listsEndAt(): number {
    if (this.endOfLists !== undefined) return this.endOfLists;
    setImmediate(() => (this.endOfLists = undefined));
    return (this.endOfLists = performance.now() + LISTS_MS);
  }

  /** Runs work that blocks the event loop, and counts its time. */
  timed<T>(work: () => T): T {
    if (this.workedMs === 0) setImmediate(() => (this.workedMs = 0));
    const beganAt = performance.now();
    try {
      return work();
    } finally {
      this.workedMs += performance.now() - beganAt;
    }
  }

  /** Counts bytes read, or about to be read. */
  countRead(bytes: number): void {
    if (this.readBytes === 0 && bytes > 0) setImmediate(() => (this.readBytes = 0));
    this.readBytes += bytes;
  }

  /** Yields to other work. Resolves when it is the tenant's turn; work without a tenant counts as one more tenant. */
  yield(tenantId = ''): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.add(tenantId, resolve);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.begin());
  }

  private begin(): void {
    const resume = this.waiting.next();
    this.beganAt = performance.now();
    this.sliceEndsAt = this.beganAt + SLICE_MS;
    resume?.();
    setImmediate(() => this.afterSlice());
  }

  /** Reserves as much time for connections and requests as the slice took. The loop accepts one new connection per turn. */
  private afterSlice(): void {
    const now = performance.now();
    this.letOthersRun(now, now + (now - this.beganAt));
  }

  private letOthersRun(turnBeganAt: number, untilMs: number): void {
    setImmediate(() => {
      const now = performance.now();
      if (now < untilMs && now - turnBeganAt > QUIET_TURN_MS) return this.letOthersRun(now, untilMs);
      if (this.waiting.waiting > 0) return this.begin();
      this.isScheduled = false;
    });
  }
}

/** Instance for the process, which has one event loop. */
export const eventLoop = new EventLoop();

/** Processes items one after another, and lets other work run after each `length` of them. */
export async function inSlices<T, R>(items: readonly T[], length: number, work: (item: T, index: number) => R): Promise<R[]> {
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % length === 0) await eventLoop.yield();
    done.push(work(item, index));
  }
  return done;
}

/** Returns the digest of bytes in lower-case hex, and lets other work run meanwhile. */
export async function digestOf(algorithm: 'md5' | 'sha256', parts: Buffer[], tenantId: string): Promise<string> {
  const hash = createHash(algorithm);
  for (const part of parts)
    for (let at = 0; at < part.length; at += MIB) {
      if (eventLoop.sliceUsed) await eventLoop.yield(tenantId);
      hash.update(part.subarray(at, at + MIB));
    }
  return hash.digest('hex');
}
