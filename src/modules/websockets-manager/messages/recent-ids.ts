interface Bounds {
  /** Minimum time to remember an id, unless more than `max` arrive within it. */
  keepMs: number;
  max: number;
}

/** Set of recently added ids. Contains up to twice `max` ids, for up to twice `keepMs`. */
export class RecentIds {
  private newer = new Set<string>();
  private older = new Set<string>();
  private since = performance.now();

  constructor(private readonly bounds: Bounds) {}

  add(id: string): void {
    this.dropOld();
    this.newer.add(id);
  }

  has(id: string): boolean {
    this.dropOld();
    return this.newer.has(id) || this.older.has(id);
  }

  private dropOld(): void {
    const { keepMs, max } = this.bounds;
    const now = performance.now();
    if (now - this.since < keepMs && this.newer.size < max) return;
    this.older = now - this.since < 2 * keepMs ? this.newer : new Set();
    this.newer = new Set();
    this.since = now;
  }
}
