/** Idempotency keys in use by this process. A second use of a key waits for the first rather than duplicating its work. */
export class KeysUnderWay {
  private readonly underWay = new Map<string, Promise<unknown>>();

  /**
   * Processes the items with free keys. Returns undefined for each other item, once the work on its key has ended.
   * @param keyOf returns undefined for an item that may be processed concurrently
   */
  async alone<I, R>(
    items: readonly I[],
    keyOf: (item: I) => string | undefined,
    work: (free: I[]) => Promise<readonly R[]>,
  ): Promise<(R | undefined)[]> {
    const before = items.map((item) => this.underWay.get(keyOf(item) ?? ''));
    const free = items.filter((_, index) => before[index] === undefined);
    const keys = free.flatMap((item) => keyOf(item) ?? []);
    const working = free.length > 0 ? work(free) : Promise.resolve([]);
    for (const key of keys) this.underWay.set(key, working);
    try {
      await working;
    } finally {
      for (const key of keys) this.underWay.delete(key);
    }
    await Promise.allSettled(before);
    const done = [...(await working)];
    return items.map((_, index) => (before[index] === undefined ? done.shift() : undefined));
  }
}
