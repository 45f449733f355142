import { createHash } from 'node:crypto';
import { TenantScheduler } from './tenant-scheduler.js';
import { MIB } from '../base/amounts.js';

/** How long one piece of work may hold the event loop. */
const SLICE_MS = 2;
/** A turn of the event loop in which nothing ran takes 1 to 4 µs, one that accepts a connection 26 to 80 µs (2026-11-28). */
const QUIET_TURN_MS = 0.01;
/** Bytes that may be read in one turn of the event loop: reading rows blocks all other work. */
const READ_BYTES = 8 * 1024 * 1024;

/**
 * Shares the event loop among long-running work: each `yield` resolves in a turn of the loop of its own, which begins a slice
 * of 2 ms. After it, connections and requests have as much time as it took. Tenants alternate, however many lists and operations they have. Background jobs, for which no caller waits, await
 * `setImmediate` of node:timers/promises instead.
 */
class EventLoop {
  private readonly waiting = new TenantScheduler<() => void>();
  private sliceEndsAt = 0;
  private beganAt = 0;
  private isScheduled = false;
  private readBytes = 0;
  private workedMs = 0;

  /** Whether the slice is used up, so that `yield` is due. */
  get sliceUsed(): boolean {
    return performance.now() >= this.sliceEndsAt;
  }

  /** Whether so many bytes were read in this turn that the caller must `yield` before it reads more. */
  get readBudgetExceeded(): boolean {
    return this.readBytes > READ_BYTES;
  }

  /** Whether timed work has used a whole slice of this turn, so that the caller must `yield` before it continues. */
  get turnUsed(): boolean {
    return this.workedMs >= SLICE_MS;
  }

  /** Does a piece of work that holds the event loop, and counts its time. */
  timed<T>(work: () => T): T {
    if (this.workedMs === 0) setImmediate(() => (this.workedMs = 0));
    const beganAt = performance.now();
    try {
      return work();
    } finally {
      this.workedMs += performance.now() - beganAt;
    }
  }

  /** Counts bytes that were read, or are about to be. */
  countRead(bytes: number): void {
    if (this.readBytes === 0 && bytes > 0) setImmediate(() => (this.readBytes = 0));
    this.readBytes += bytes;
  }

  /** Lets other work run. Resolves when the tenant is next; work without a tenant counts as that of one more tenant. */
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

  /** Gives as much time as the slice took to connections and requests, of which the loop takes one new connection a turn. */
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

/** The instance of the process, which has one event loop. */
export const eventLoop = new EventLoop();

/** Processes the items one after the other, and lets other work run after each `length` of them. */
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
