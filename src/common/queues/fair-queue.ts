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

  /** How many items could be taken now, of each tenant at most as many as it has `room` for. */
  takeable(room: (tenantId: string) => number): number {
    let count = 0;
    for (const [tenantId, { length }] of this.byTenant) count += Math.min(length, room(tenantId));
    return count;
  }

  /** Takes the oldest item of the first tenant in line that has room. The tenant then goes to the end of the line. */
  next(room: (tenantId: string) => number = () => 1): T | undefined {
    const turn = firstWithRoom(this.byTenant, room);
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

function firstWithRoom<T>(turns: Map<string, T[]>, room: (tenantId: string) => number): [string, T[]] | undefined {
  for (const turn of turns) if (room(turn[0]) > 0) return turn;
  return undefined;
}
