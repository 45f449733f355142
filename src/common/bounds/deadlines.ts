const LOOK_MS = 100;

interface Bounded {
  endsAt: number;
  expire(): void;
}

/** Ends operations that run too long, to a tenth of a second. One timer serves all: a timer each would cost every request. */
class Deadlines {
  private readonly running = new Set<Bounded>();
  private timer?: NodeJS.Timeout;

  add(operation: Bounded): void {
    this.running.add(operation);
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  delete(operation: Bounded): void {
    this.running.delete(operation);
  }

  private look(): void {
    if (this.running.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    for (const operation of this.running) if (operation.endsAt <= now) operation.expire();
  }
}

export const deadlines = new Deadlines();
