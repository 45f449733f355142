import { type Transferable, Worker } from 'node:worker_threads';
import { AppError } from '../base/app-error.js';
import { afterSilence } from '../base/in-time.js';

/** Time after which an idle thread is terminated. */
const IDLE_MS = 60_000;

interface About {
  script: URL;
  name: string;
  /** Time limit of an order. */
  silentMs: number;
  memoryMib: number;
  /** Message for callers whose order was not carried out. */
  refusal: string;
  /** Called when the thread exits with unfinished orders. */
  onLost(why: string, orders: number): void;
}

interface Call<Outcome> {
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/**
 * Thread for work that cannot pause and would block the event loop. It answers each order with one message, in order. It starts with the
 * first order, and is terminated when idle, silent or out of memory; the next order starts another.
 */
export class WorkThread<Order, Outcome> {
  private worker: Worker | undefined;
  private calls: Call<Outcome>[] = [];
  private heard: (() => void) | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly about: About) {}

  /** Returns the outcome of an order. @throws SERVICE_UNAVAILABLE if the thread exits first */
  ask(order: Order, transferred: Transferable[]): Promise<Outcome> {
    clearTimeout(this.idle);
    const worker = (this.worker ??= this.start());
    worker.ref();
    worker.postMessage(order, transferred);
    return new Promise((resolve, reject) => {
      this.calls.push({ resolve, reject });
      this.heard ??= this.listen();
    });
  }

  /** Terminates the thread, and refuses its unfinished orders. */
  end(why: string): void {
    clearTimeout(this.idle);
    this.heard?.();
    this.heard = undefined;
    const { worker, calls } = this;
    this.worker = undefined;
    this.calls = [];
    void worker?.terminate();
    if (calls.length > 0) this.about.onLost(why, calls.length);
    for (const { reject } of calls) reject(new AppError('SERVICE_UNAVAILABLE', this.about.refusal));
  }

  private start(): Worker {
    const { script, name, memoryMib } = this.about;
    const worker = new Worker(script, { name, env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMib } });
    const ended = (why: string) => worker === this.worker && this.end(why);
    worker.on('message', (outcome: Outcome) => worker === this.worker && this.settle(outcome));
    worker.on('error', ({ message }) => ended(message));
    worker.on('exit', (code) => ended(`it exited with code ${code}`));
    return worker;
  }

  private settle(outcome: Outcome): void {
    const { resolve } = this.calls.shift()!;
    this.heard?.();
    this.heard = this.calls.length > 0 ? this.listen() : undefined;
    if (this.calls.length === 0) {
      this.worker?.unref();
      this.idle = setTimeout(() => this.end('it is idle'), IDLE_MS).unref();
    }
    resolve(outcome);
  }

  private listen(): () => void {
    const { silentMs } = this.about;
    return afterSilence(silentMs, () => this.end(`it was silent for ${silentMs} ms`));
  }
}
