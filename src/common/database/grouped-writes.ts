import { AppError } from '../errors/app-error.js';
import { TenantScheduler } from '../queues/tenant-scheduler.js';
import { currentSpan, shared, type Span } from '../tracing/spans.js';

/** How long a caller waits, of the 12 s within which a silent or slow database is reported. */
const DEADLINE_MS = 11_000;
/** How long a group holds up the next one. Where commits are quick, groups gather what comes meanwhile, and cost less each. */
const PACE_MS = 5;

interface PendingItem<T> {
  item: T;
  length: number;
  /** The span that adds the item, where that is recorded. */
  span: Span | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Limits<T> {
  /** How many groups may be written at once. */
  maxRunning: number;
  /** How long a group waits for more items. It saves commits where nobody waits for them. */
  gatherMs?: number;
  /** Largest length of a group of more than one item. */
  maxLength: number;
  lengthOf: (item: T) => number;
  /** Tenant of an item; tenants take turns. */
  tenantOf: (item: T) => string;
  /** Whether an error is not the fault of a single item, so that trying each alone is of no use. */
  isCommonFault: (error: unknown) => boolean;
}

/**
 * Writes the items of concurrent callers in groups: a commit waits for the disk, so items added while one runs share the next.
 * `add` resolves after the commit that holds its item. An item that fails does so alone. Tenants take turns, so that one with
 * many items does not hold up the others.
 */
export class GroupedWrites<T> {
  private readonly waiting = new TenantScheduler<PendingItem<T>>();
  private running = 0;
  private scheduled = false;
  /** Set while the last group is under way, up to PACE_MS. */
  private pace?: NodeJS.Timeout;

  constructor(
    private readonly write: (items: T[]) => Promise<void>,
    private readonly limits: Limits<T>,
  ) {}

  add(item: T): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const tenantId = this.limits.tenantOf(item);
      const waiting = { item, length: this.limits.lengthOf(item), span: currentSpan(), resolve, reject };
      const deadline = setTimeout(() => this.giveUp(tenantId, waiting), DEADLINE_MS);
      waiting.resolve = () => (clearTimeout(deadline), resolve());
      waiting.reject = (error) => (clearTimeout(deadline), reject(error));
      this.waiting.add(tenantId, waiting);
      this.schedule();
    });
  }

  /** Withdraws an item that is not being written yet; of one that is, the outcome is unknown. */
  private giveUp(tenantId: string, waiting: PendingItem<T>): void {
    const isWithdrawn = this.waiting.remove(tenantId, waiting);
    const stored = isWithdrawn ? 'nothing was stored' : 'the change may have been stored nevertheless';
    waiting.reject(new AppError('SERVICE_UNAVAILABLE', `The database is too slow now, and ${stored}; try again`));
  }

  /** Begins a group, at the earliest after all items that arrive in this turn of the event loop. */
  private schedule(): void {
    if (this.scheduled || this.pace || this.running >= this.limits.maxRunning || this.waiting.waiting === 0) return;
    this.scheduled = true;
    const { gatherMs } = this.limits;
    if (gatherMs) setTimeout(() => this.begin(), gatherMs);
    else setImmediate(() => this.begin());
  }

  private begin(): void {
    this.scheduled = false;
    this.running++;
    const pace = setTimeout(() => this.goOn(pace), PACE_MS);
    this.pace = pace;
    void this.writeGroup(this.takeGroup()).finally(() => {
      this.running--;
      this.goOn(pace);
    });
  }

  private goOn(pace: NodeJS.Timeout): void {
    clearTimeout(pace);
    if (this.pace === pace) this.pace = undefined;
    this.schedule();
  }

  private takeGroup(): PendingItem<T>[] {
    const group: PendingItem<T>[] = [];
    let total = 0;
    for (let item = this.waiting.peek(); item; item = this.waiting.peek()) {
      total += item.length;
      if (total > this.limits.maxLength && group.length > 0) break;
      group.push(this.waiting.next()!);
    }
    return group;
  }

  private async writeGroup(group: PendingItem<T>[]): Promise<void> {
    try {
      const spans = group.map(({ span }) => span);
      await shared(spans, () => this.write(group.map(({ item }) => item)));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const isFinal = group.length === 1 || this.limits.isCommonFault(error);
      for (const pending of group) await (isFinal ? pending.reject(error) : this.writeGroup([pending]));
    }
  }
}
