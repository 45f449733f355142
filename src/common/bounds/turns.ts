/** So long an operation may work before everybody else gets a turn of the event loop. */
const SLICE_MS = 10;

/**
 * Hands out the event loop to work that takes long: one slice in each turn of the loop, and tenants take turns, whatever
 * number of lists and operations they have under way.
 */
class Turns {
  private readonly waiting = new Map<string, (() => void)[]>();
  private sliceEndsAt = 0;
  private isScheduled = false;

  /** Whether the slice is used up, so that `next` is due. */
  get isOver(): boolean {
    return performance.now() >= this.sliceEndsAt;
  }

  /** Resolves when it is the tenant's turn. */
  next(tenantId: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.waiting.get(tenantId);
      if (own) own.push(resolve);
      else this.waiting.set(tenantId, [resolve]);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.begin());
  }

  private begin(): void {
    this.isScheduled = false;
    const [first] = this.waiting;
    if (!first) return;
    const [tenantId, own] = first;
    const resume = own.shift();
    this.waiting.delete(tenantId);
    if (own.length > 0) this.waiting.set(tenantId, own);
    if (this.waiting.size > 0) this.schedule();
    this.sliceEndsAt = performance.now() + SLICE_MS;
    resume?.();
  }
}

/** There is one event loop, so there is one of these. */
export const turns = new Turns();
