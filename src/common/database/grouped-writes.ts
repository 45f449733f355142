import { AppError } from '../errors/app-error.js';
import { FairQueue } from '../queues/fair-queue.js';

/** How long a caller waits, of the 12 s within which a database that is silent or too slow is told of. */
const DEADLINE_MS = 11_000;

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
    return new Promise<void>((resolve, reject) => {
      const tenantId = this.limits.tenantOf(item);
      const waiting = { item, length: this.limits.lengthOf(item), resolve, reject };
      const deadline = setTimeout(() => this.giveUp(tenantId, waiting), DEADLINE_MS);
      waiting.resolve = () => (clearTimeout(deadline), resolve());
      waiting.reject = (error) => (clearTimeout(deadline), reject(error));
      this.waiting.add(tenantId, waiting);
      this.schedule();
    });
  }

  /** What has not begun is not written any more; of what has, nobody knows yet. */
  private giveUp(tenantId: string, waiting: Waiting<T>): void {
    const isWithdrawn = this.waiting.remove(tenantId, waiting);
    const stored = isWithdrawn ? 'nothing was stored' : 'what was to be stored may be stored nevertheless';
    waiting.reject(new AppError('SERVICE_UNAVAILABLE', `The database is too slow now, and ${stored}; try again`));
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
