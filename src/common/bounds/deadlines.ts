const LOOK_MS = 100;

interface Bounded {
  endsAt: number;
  expire(): void;
}

/** Ends what runs too long, to a tenth of a second. One timer looks after all: one for each would cost every request. */
class Deadlines {
  private readonly running = new Set<Bounded>();
  private timer?: NodeJS.Timeout;

  add(one: Bounded): void {
    this.running.add(one);
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  delete(one: Bounded): void {
    this.running.delete(one);
  }

  private look(): void {
    if (this.running.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    for (const one of this.running) if (one.endsAt <= now) one.expire();
  }
}

export const deadlines = new Deadlines();
