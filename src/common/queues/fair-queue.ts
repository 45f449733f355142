/** A queue, bounded per tenant. Tenants take turns, so that one with many items does not hold up the others. */
export class FairQueue<T> {
  /** In the order of the tenants' turns; a tenant without a waiting item is not in it. */
  private readonly byTenant = new Map<string, T[]>();
  private count = 0;

  constructor(private readonly maxPerTenant = Infinity) {}

  get size(): number {
    return this.count;
  }

  /** Returns whether there was room. */
  add(tenantId: string, item: T): boolean {
    const waiting = this.byTenant.get(tenantId) ?? [];
    if (waiting.length >= this.maxPerTenant) return false;
    waiting.push(item);
    this.byTenant.set(tenantId, waiting);
    this.count += 1;
    return true;
  }

  /** Returns the item that `next` would return. */
  peek(): T | undefined {
    const [turn] = this.byTenant;
    return turn?.[1][0];
  }

  /**
   * Takes the oldest item of the tenant whose turn it is, but for tenants that `isServed` passes over. The tenant then goes to the
   * end of the line.
   */
  next(isServed: (tenantId: string) => boolean = () => true): T | undefined {
    const turn = firstServed(this.byTenant, isServed);
    if (!turn) return undefined;
    const [tenantId, waiting] = turn;
    const item = waiting.shift();
    this.count -= 1;
    this.byTenant.delete(tenantId);
    if (waiting.length > 0) this.byTenant.set(tenantId, waiting);
    return item;
  }

  /** Removes an item. Returns whether it was still waiting. */
  remove(tenantId: string, item: T): boolean {
    const waiting = this.byTenant.get(tenantId);
    const at = waiting?.indexOf(item) ?? -1;
    if (!waiting || at === -1) return false;
    waiting.splice(at, 1);
    this.count -= 1;
    if (waiting.length === 0) this.byTenant.delete(tenantId);
    return true;
  }
}

function firstServed<T>(turns: Map<string, T[]>, isServed: (tenantId: string) => boolean): [string, T[]] | undefined {
  for (const turn of turns) if (isServed(turn[0])) return turn;
  return undefined;
}
