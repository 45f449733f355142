const CHECK_MS = 100;

interface Bounded {
  endsAt: number;
  expire(): void;
  /** True if its caller closed the connection, so that no answer can be sent. */
  isAbandoned: boolean;
  abandon(): void;
}

/**
 * Ends operations that exceed their time limit or whose callers disconnected, within a tenth of a second. One timer checks all, since
 * one per operation would slow down every request. Data that arrived while this process was busy is read before a check.
 */
class Deadlines {
  private readonly running = new Set<Bounded>();
  private timer?: NodeJS.Timeout;

  add(operation: Bounded): void {
    this.running.add(operation);
    this.timer ??= setInterval(() => setImmediate(() => this.endExpired()), CHECK_MS).unref();
  }

  delete(operation: Bounded): void {
    this.running.delete(operation);
  }

  private endExpired(): void {
    if (this.running.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    for (const operation of this.running) {
      if (operation.endsAt <= now) operation.expire();
      else if (operation.isAbandoned) operation.abandon();
    }
  }
}

export const deadlines = new Deadlines();
