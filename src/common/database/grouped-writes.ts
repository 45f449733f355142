import { FairQueue } from '../queues/fair-queue.js';

interface Waiting<T> {
  item: T;
  length: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Limits<T> {
  /** How many groups are written at once. */
  maxRunning: number;
  /** How long a group waits for more; where nobody waits for its end, fewer commits are worth it. */
  gatherMs?: number;
  /** A group takes no more items once it is so long. */
  maxLength: number;
  lengthOf: (item: T) => number;
  /** Tenants take turns in a group. */
  tenantOf: (item: T) => string;
  /** Whether what a group fails with is nobody's own fault, so that trying each alone is of no use. */
  isCommonFault: (error: unknown) => boolean;
}

/**
 * Writes what concurrent callers bring in groups: a commit waits for the disk, so those who come while one runs share the
 * next. Each is answered after the commit that holds its item. An item that fails does so alone. Tenants take turns, so that
 * one with many items does not hold up the others.
 */
export class GroupedWrites<T> {
  private readonly waiting = new FairQueue<Waiting<T>>();
  private running = 0;
  private scheduled = false;

  constructor(
    private readonly write: (items: T[]) => Promise<void>,
    private readonly limits: Limits<T>,
  ) {}

  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.add(this.limits.tenantOf(item), { item, length: this.limits.lengthOf(item), resolve, reject });
      this.schedule();
    });
  }

  /** At the earliest after all that arrived in this turn of the event loop. */
  private schedule(): void {
    if (this.scheduled || this.running >= this.limits.maxRunning || this.waiting.size === 0) return;
    this.scheduled = true;
    const { gatherMs } = this.limits;
    if (gatherMs) setTimeout(() => this.begin(), gatherMs);
    else setImmediate(() => this.begin());
  }

  private begin(): void {
    this.scheduled = false;
    this.running++;
    void this.writeGroup(this.takeGroup()).finally(() => {
      this.running--;
      this.schedule();
    });
    this.schedule();
  }

  private takeGroup(): Waiting<T>[] {
    const group: Waiting<T>[] = [];
    let total = 0;
    for (let item = this.waiting.peek(); item; item = this.waiting.peek()) {
      total += item.length;
      if (total > this.limits.maxLength && group.length > 0) break;
      group.push(this.waiting.next()!);
    }
    return group;
  }

  private async writeGroup(group: Waiting<T>[]): Promise<void> {
    try {
      await this.write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const alone = group.length === 1 || this.limits.isCommonFault(error);
      for (const one of group) await (alone ? one.reject(error) : this.writeGroup([one]));
    }
  }
}
