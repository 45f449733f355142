import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { everySecond } from '../../scheduling/every-second.js';
import {
  adapterError,
  type Call,
  errorOf,
  isLong,
  type Message,
  notAnswered,
  type Order,
  type Outcome,
} from './sqlite-orders.js';

/** Seconds without an outcome until callers are refused, and until callers with a long statement are. */
const SILENT_S = 10;
const SILENT_LONG_S = 120;

interface Caller {
  isLong: boolean;
  isGivenUp: boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * A thread that owns a connection to the SQLite file, seen from the event loop. It gives latency, not throughput: other requests
 * go on while a statement runs. The thread alone decides what runs when, and knows which transaction is open: a caller that gives up
 * says so, and changes nothing else. If the thread ends, for whatever reason, all its callers are refused, and another thread takes its place.
 * A thread that hangs cannot be ended: callers are refused until it answers again.
 */
export class SqliteThread {
  hasEnded = false;
  private readonly worker = new Worker(new URL('./sqlite-worker.js', import.meta.url), { name: 'sqlite' });
  private readonly ended = once(this.worker, 'exit');
  private readonly stopChecking = everySecond(() => this.checkSilence());
  private readonly callers = new Map<number, Caller>();
  private outgoing: Message[] = [];
  private lastNumber = 0;
  private isScheduled = false;
  private silentSeconds = 0;

  constructor() {
    this.worker.unref();
    this.worker.on('message', (outcomes: Outcome[]) => this.settle(outcomes));
    this.worker.on('error', (error) => this.end(error.message));
    this.worker.on('exit', (code) => this.end(`it exited with code ${code}`));
  }

  /** Sends an order, together with the others of this turn of the event loop, and returns its outcome. */
  ask<T>(order: Order, transaction?: number): Promise<T> {
    return this.call<T>(order, transaction).outcome;
  }

  /** Begins a transaction. Returns its number. */
  async begin(): Promise<number> {
    const { number, outcome } = this.call({ do: 'begin' });
    await outcome;
    return number;
  }

  /** Tells the thread that nobody waits for these calls any more. It rolls back a transaction that one of them began. */
  withdraw(numbers: number[]): void {
    if (!this.hasEnded && numbers.length > 0) this.send({ withdrawn: numbers });
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

  private call<T>(order: Order, transaction?: number): { number: number; outcome: Promise<T> } {
    const number = ++this.lastNumber;
    const outcome = new Promise<T>((resolve, reject) => {
      if (this.hasEnded) return reject(closed('it has ended'));
      if (this.isSilent && order.do !== 'close') return reject(silent());
      this.callers.set(number, { isLong: isLong(order), isGivenUp: false, resolve: resolve as Caller['resolve'], reject });
      this.send({ number, order, transaction });
    });
    return { number, outcome };
  }

  private send(message: Message): void {
    this.outgoing.push(message);
    if (this.isScheduled) return;
    this.isScheduled = true;
    // An idle thread need not wait for more orders.
    if (this.callers.size <= 1) queueMicrotask(() => this.post());
    else setImmediate(() => this.post());
  }

  private post(): void {
    this.isScheduled = false;
    const messages = this.outgoing.splice(0);
    if (this.hasEnded) return;
    if (this.callers.size > 0) this.worker.ref();
    try {
      this.postAll(messages);
    } catch {
      for (const message of messages) this.postAlone(message);
    }
  }

  private postAll(messages: Message[]): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.worker.postMessage(messages);
  }

  /** Sends an order by itself, after one of a message could not be sent, such as one with a function as a value. */
  private postAlone(message: Message): void {
    try {
      this.postAll([message]);
    } catch (error) {
      const { number } = message as Call;
      this.callers.get(number)!.reject(error as Error);
      this.forget(number);
    }
  }

  private settle(outcomes: Outcome[]): void {
    this.silentSeconds = 0;
    for (const outcome of outcomes) {
      const { resolve, reject } = this.callers.get(outcome.call)!;
      if ('fault' in outcome) reject(errorOf(outcome.fault));
      else resolve(outcome.value);
      this.forget(outcome.call);
    }
  }

  private forget(number: number): void {
    this.callers.delete(number);
    if (this.callers.size === 0) this.worker.unref();
  }

  /** Counts only seconds in which the event loop had turns, or a busy loop would take the thread for silent. */
  private checkSilence(): void {
    this.silentSeconds = this.callers.size === 0 ? 0 : this.silentSeconds + 1;
    if (!this.isSilent) return;
    const isOver = this.silentSeconds >= SILENT_LONG_S;
    const givenUp = [...this.callers].filter(([, caller]) => !caller.isGivenUp && (isOver || !caller.isLong));
    for (const [, caller] of givenUp) {
      caller.isGivenUp = true;
      caller.reject(silent());
    }
    this.withdraw(givenUp.map(([number]) => number));
  }

  private end(reason: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.stopChecking();
    for (const { reject } of this.callers.values()) reject(closed(reason));
    this.callers.clear();
  }
}

const closed = (reason: string): Error =>
  adapterError({ kind: 'ConnectionClosed', originalMessage: `The thread of the database ended: ${reason}` });

const silent = (): Error => notAnswered('does not answer');
