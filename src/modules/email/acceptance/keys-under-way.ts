/** Idempotency keys that this process works on. A second use of one waits for the first, in place of doing the same work beside it. */
export class KeysUnderWay {
  private readonly underWay = new Map<string, Promise<unknown>>();

  /**
   * Does the work on the items whose keys are free. Returns nothing for each other item, once the work on its key has ended.
   * @param keyOf returns nothing for an item that may be worked on beside others
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
