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

/** Seconds without a result until callers are refused: with usual and with long statements. */
const SILENT_S = 10;
const SILENT_LONG_S = 120;

interface Caller {
  isLong: boolean;
  isAbandoned: boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Thread that owns a connection to the SQLite file, as the event loop sees it. It improves latency, not throughput: other requests
 * continue while a statement runs. The thread alone orders the work and knows the open transaction; a caller that gives up only
 * notifies it. If the thread exits, its callers are refused, and another thread replaces it.
 * A hanging thread cannot be terminated: callers are refused until it answers again.
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

  /** Sends an order, together with the others of this turn of the event loop, and returns its result. */
  ask<T>(order: Order, transaction?: number): Promise<T> {
    return this.call<T>(order, transaction).outcome;
  }

  /** Begins a transaction. Returns its number. */
  async begin(): Promise<number> {
    const { number, outcome } = this.call({ do: 'begin' });
    await outcome;
    return number;
  }

  /** Notifies the thread of abandoned calls. It rolls back a transaction that one of them began. */
  withdraw(numbers: number[]): void {
    if (!this.hasEnded && numbers.length > 0) this.send({ withdrawn: numbers });
  }

  /** Terminates the thread after its pending orders. */
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
      this.callers.set(number, { isLong: isLong(order), isAbandoned: false, resolve: resolve as Caller['resolve'], reject });
      this.send({ number, order, transaction });
    });
    return { number, outcome };
  }

  private send(message: Message): void {
    this.outgoing.push(message);
    if (this.isScheduled) return;
    this.isScheduled = true;
    // An idle thread gets the order without waiting for more.
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

  /** Sends an order by itself, after a message with several could not be sent, for example because a value is a function. */
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
      const caller = this.callers.get(outcome.call)!;
      if ('fault' in outcome) caller.reject(errorOf(outcome.fault));
      else caller.resolve(outcome.value);
      // V8 keeps replaced tables of a Map, with their callers, until its next full garbage collection. They would keep all rows alive.
      caller.resolve = caller.reject = answered;
      this.forget(outcome.call);
    }
  }

  private forget(number: number): void {
    this.callers.delete(number);
    if (this.callers.size === 0) this.worker.unref();
  }

  /** Counts only seconds in which the event loop had turns: otherwise a busy loop would make the thread look silent. */
  private checkSilence(): void {
    this.silentSeconds = this.callers.size === 0 ? 0 : this.silentSeconds + 1;
    if (!this.isSilent) return;
    const isOver = this.silentSeconds >= SILENT_LONG_S;
    const givenUp = [...this.callers].filter(([, caller]) => !caller.isAbandoned && (isOver || !caller.isLong));
    for (const [, caller] of givenUp) {
      caller.isAbandoned = true;
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

const answered = (): void => undefined;

const closed = (reason: string): Error =>
  adapterError({ kind: 'ConnectionClosed', originalMessage: `The thread of the database ended: ${reason}` });

const silent = (): Error => notAnswered('does not answer');
