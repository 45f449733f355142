import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { adapterError, errorOf, isLong, type Order, type Outcome } from './sqlite-orders.js';

/** Orders that the thread has at once. Further orders wait here, where they can be withdrawn. */
const MAX_SENT = 64;

/** Seconds without an outcome until callers are refused, and until callers with a long statement are. */
const SILENT_S = 10;
const SILENT_LONG_S = 120;

interface Call {
  order: Order;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * The thread that owns the connection to the SQLite file, seen from the event loop. It gives latency, not throughput: other requests
 * go on while a statement runs. No Batcher, since each order of a message has an outcome of its own, when
 * it is there. If the thread ends, for whatever reason, all its orders are refused, and another thread takes its place. A thread that hangs
 * cannot be ended: callers are refused until it answers again.
 */
export class SqliteThread {
  hasEnded = false;
  private readonly worker = new Worker(new URL('./sqlite-worker.js', import.meta.url), { name: 'sqlite' });
  private readonly ended = once(this.worker, 'exit');
  private readonly timer = setInterval(() => this.checkSilence(), 1_000).unref();
  private waiting: Call[] = [];
  private sent: Call[] = [];
  private isScheduled = false;
  private silentSeconds = 0;

  constructor() {
    this.worker.unref();
    this.worker.on('message', (outcomes: Outcome[]) => this.settle(outcomes));
    this.worker.on('error', (error) => this.end(error.message));
    this.worker.on('exit', (code) => this.end(`it exited with code ${code}`));
  }

  /** Sends an order, together with the others of this turn of the event loop, and returns its outcome. */
  ask<T>(order: Order): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.hasEnded) return reject(closed('it has ended'));
      if (this.isSilent && !isForced(order)) return reject(silent());
      this.waiting.push({ order, resolve: resolve as Call['resolve'], reject });
      this.schedule();
    });
  }

  /** Ends the thread once it has carried out its orders. */
  async close(): Promise<void> {
    if (this.hasEnded) return;
    await this.ask({ do: 'close' });
    this.worker.ref();
    await this.ended;
  }

  private get isSilent(): boolean {
    return this.silentSeconds >= SILENT_S;
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0 || this.sent.length >= MAX_SENT) return;
    this.isScheduled = true;
    // An idle thread need not wait for more orders.
    if (this.sent.length === 0) queueMicrotask(() => this.send());
    else setImmediate(() => this.send());
  }

  private send(): void {
    this.isScheduled = false;
    const calls = this.waiting.splice(0, MAX_SENT - this.sent.length);
    if (calls.length === 0) return;
    this.worker.ref();
    try {
      this.post(calls);
    } catch {
      for (const call of calls) this.postAlone(call);
    }
  }

  private post(calls: Call[]): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.worker.postMessage(calls.map(({ order }) => order));
    this.sent.push(...calls);
  }

  /** Sends an order by itself, after one of a message could not be sent, such as one with a function as a value. */
  private postAlone(call: Call): void {
    try {
      this.post([call]);
    } catch (error) {
      call.reject(error as Error);
    }
  }

  private settle(outcomes: Outcome[]): void {
    this.silentSeconds = 0;
    const calls = this.sent.splice(0, outcomes.length);
    if (this.sent.length === 0) this.worker.unref();
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject } = calls[index]!;
      if ('fault' in outcome) reject(errorOf(outcome.fault));
      else resolve(outcome.value);
    }
    this.schedule();
  }

  /** Counts only seconds in which the event loop had turns, or a busy loop would take the thread for silent. */
  private checkSilence(): void {
    this.silentSeconds = this.sent.length === 0 ? 0 : this.silentSeconds + 1;
    if (!this.isSilent) return;
    const isGivenUp = ({ order }: Call): boolean => !isLong(order) || this.silentSeconds >= SILENT_LONG_S;
    for (const { reject } of this.sent.filter(isGivenUp)) reject(silent());
    const given = this.waiting;
    this.waiting = given.filter(({ order }) => isForced(order));
    for (const { order, reject } of given) if (!isForced(order)) reject(silent());
  }

  private end(reason: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.timer);
    for (const { reject } of [...this.sent, ...this.waiting]) reject(closed(reason));
    this.sent = this.waiting = [];
  }
}

/** Orders that must reach the thread however late, or a transaction would stay open. */
const isForced = (order: Order): boolean => order.do === 'end' || order.do === 'close';

const closed = (reason: string): Error =>
  adapterError({ kind: 'ConnectionClosed', originalMessage: `The thread of the database ended: ${reason}` });

const silent = (): Error =>
  adapterError({ kind: 'DatabaseNotReachable', originalMessage: 'The thread of the database does not answer' });
