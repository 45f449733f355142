/** How long an operation may work before others get a turn of the event loop. */
const SLICE_MS = 10;

/**
 * Shares the event loop among long work on answers: one slice in each turn of the loop. Tenants take turns, however many lists
 * and operations they have under way.
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

/** One for the process, which has one event loop. */
export const turns = new Turns();

/** Bytes that may be read before the event loop gets a turn: arriving rows hold up all other work. */
const READ_BYTES = 8 * 1024 * 1024;

let readBytes = 0;
let lastTurn: Promise<void> = Promise.resolve();

/** Counts bytes that were read, or are about to be. */
export function noteRead(bytes: number): void {
  if (readBytes === 0 && bytes > 0) setImmediate(() => (readBytes = 0));
  readBytes += bytes;
}

/** Returns whether so much was read that other work is due a turn. */
export const isTurnOver = (): boolean => readBytes > READ_BYTES;

/** Waits for a turn of the event loop that no other caller of this function shares. */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)));
  return lastTurn;
}

/** Waits for the next turn of the event loop, which several callers may share. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Works on the items one after the other; other work gets a turn after each `length` of them. */
export async function inSlices<T, R>(items: readonly T[], length: number, work: (item: T, index: number) => R): Promise<R[]> {
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % length === 0) await ownTurn();
    done.push(work(item, index));
  }
  return done;
}
