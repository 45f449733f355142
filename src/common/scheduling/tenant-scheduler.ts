// Room: Order of work: batches, budgets of memory and time, rate limits, classes of work.
interface Waiting<T> {
  item: T;
  size: number;
  isUrgent: boolean;
}

interface Limits {
  /** Maximum held by all tenants together. */
  capacity?: number;
  /** Maximum held by one tenant. */
  share?: number;
  /** Maximum number of waiting items, of all tenants together and of one. */
  maxWaiting?: number;
  maxWaitingOfTenant?: number;
}

/**
 * Chooses the next item. Items of one tenant keep their order, and tenants alternate. If items have a size, their tenants hold it until
 * they release it. Tenants that have used their share are skipped; urgent items come first, then the tenant that holds least. The first
 * remaining item blocks those behind it until it fits.
 */
export class TenantScheduler<T> {
  /** Waiting items of each tenant, in the order in which tenants are served. A tenant without one is absent. */
  private readonly lines = new Map<string, Waiting<T>[]>();
  private readonly heldByTenant = new Map<string, number>();
  private heldByAll = 0;
  private count = 0;
  private readonly limits: Required<Limits>;

  constructor({ capacity = Infinity, share = Infinity, maxWaiting = Infinity, maxWaitingOfTenant = Infinity }: Limits = {}) {
    this.limits = { capacity, share, maxWaiting, maxWaitingOfTenant };
  }

  get held(): number {
    return this.heldByAll;
  }

  get waiting(): number {
    return this.count;
  }

  /** Acquires a size for a tenant if there is capacity and nothing waits. Returns whether it did. */
  tryTake(tenantId: string, size: number): boolean {
    if (this.count > 0 || !this.fitsShare(tenantId, size) || !this.fitsCapacity(size)) return false;
    this.hold(tenantId, size);
    return true;
  }

  /** Queues an item. Returns false if too many wait. An urgent one comes before others of its tenant. */
  add(tenantId: string, item: T, { size = 0, isUrgent = false } = {}): boolean {
    const line = this.lines.get(tenantId) ?? [];
    if (this.count >= this.limits.maxWaiting || line.length >= this.limits.maxWaitingOfTenant) return false;
    const waiting = { item, size, isUrgent };
    if (isUrgent) line.splice(line.filter((other) => other.isUrgent).length, 0, waiting);
    else line.push(waiting);
    this.lines.set(tenantId, line);
    this.count++;
    return true;
  }

  /** Returns the next item without taking it. */
  peek(): T | undefined {
    const tenantId = this.firstTenant();
    return tenantId === undefined ? undefined : this.lines.get(tenantId)![0]!.item;
  }

  /** Dequeues the next item if it fits. Its tenant becomes the last in the order. */
  next(): T | undefined {
    const tenantId = this.firstTenant();
    if (tenantId === undefined) return undefined;
    const line = this.lines.get(tenantId)!;
    const { item, size } = line.shift()!;
    this.count--;
    this.lines.delete(tenantId);
    if (line.length > 0) this.lines.set(tenantId, line);
    this.hold(tenantId, size);
    return item;
  }

  /** Number of waiting items that fit the shares of their tenants, with 1 as the size of each. */
  get takeable(): number {
    let takeable = 0;
    for (const [tenantId, { length }] of this.lines) takeable += Math.min(length, this.limits.share - this.heldBy(tenantId));
    return takeable;
  }

  /** Removes an item. Returns whether it was still waiting. */
  remove(tenantId: string, item: T): boolean {
    const line = this.lines.get(tenantId);
    const at = line?.findIndex((waiting) => waiting.item === item) ?? -1;
    if (!line || at === -1) return false;
    line.splice(at, 1);
    this.count--;
    if (line.length === 0) this.lines.delete(tenantId);
    return true;
  }

  /** Removes and returns all items, regardless of what their tenants hold. */
  drain(): T[] {
    const items = [...this.lines.values()].flatMap((line) => line.map(({ item }) => item));
    this.lines.clear();
    this.count = 0;
    return items;
  }

  /** Releases a size held by a tenant. */
  release(tenantId: string, size: number): void {
    this.hold(tenantId, -size);
  }

  private firstTenant(): string | undefined {
    let first: { tenantId: string; waiting: Waiting<T> } | undefined;
    for (const [tenantId, [waiting]] of this.lines) {
      if (!this.fitsShare(tenantId, waiting!.size)) continue;
      if (!first || this.comesBefore({ tenantId, waiting: waiting! }, first)) first = { tenantId, waiting: waiting! };
      if (this.heldByTenant.size === 0) break; // nothing is held, so the first tenant in the order comes first
    }
    return first && this.fitsCapacity(first.waiting.size) ? first.tenantId : undefined;
  }

  private comesBefore(one: { tenantId: string; waiting: Waiting<T> }, other: typeof one): boolean {
    if (one.waiting.isUrgent !== other.waiting.isUrgent) return one.waiting.isUrgent;
    return this.heldBy(one.tenantId) < this.heldBy(other.tenantId);
  }

  private heldBy(tenantId: string): number {
    return this.heldByTenant.get(tenantId) ?? 0;
  }

  private fitsShare(tenantId: string, size: number): boolean {
    return this.heldBy(tenantId) + size <= this.limits.share;
  }

  private fitsCapacity(size: number): boolean {
    return this.heldByAll + size <= this.limits.capacity;
  }

  private hold(tenantId: string, change: number): void {
    if (change === 0) return;
    this.heldByAll += change;
    const held = this.heldBy(tenantId) + change;
    if (held > 0) this.heldByTenant.set(tenantId, held);
    else this.heldByTenant.delete(tenantId);
  }
}
