import type { Worker } from 'node:cluster';
import type { ToPrimary } from './letters.js';

/** How often a worker tells the primary that its event loop turns. */
export const SIGN_MS = 2_000;
/** A worker that gave no sign in so many looks, 20 s, is taken for dead. After a sleep of the machine the primary looks only once. */
const MAX_MISSED = 10;

/** Finds workers that run but do nothing any more, in the primary: letters to them stay unanswered, and hold up all others. */
export class LifeSigns {
  private readonly missed = new Map<Worker, number>();

  constructor(private readonly silent: (worker: Worker) => void) {
    setInterval(() => this.look(), SIGN_MS).unref();
  }

  /** Watches the worker once it can receive: one that starts gives no sign. */
  watch(worker: Worker): void {
    worker.on('message', ({ kind }: ToPrimary) => {
      if (kind === 'ready' || kind === 'alive') this.missed.set(worker, 0);
    });
    worker.on('exit', () => this.missed.delete(worker));
  }

  private look(): void {
    for (const [worker, missed] of this.missed) {
      this.missed.set(worker, missed + 1);
      if (missed + 1 === MAX_MISSED) this.silent(worker);
    }
  }
}
