/**
 * Loads the value of a key, one load at a time. Callers who ask during a load share the next one, so each value was read after the
 * caller asked.
 */
export function sharedByKey<Value>(load: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const running = new Map<string, Promise<Value>>();
  const next = new Map<string, Promise<Value>>();
  const begin = (key: string): Promise<Value> => {
    next.delete(key);
    const loading = load(key).finally(() => running.delete(key));
    running.set(key, loading);
    return loading;
  };
  return (key) => {
    let shared = next.get(key);
    if (!shared) {
      const before: Promise<unknown> = running.get(key) ?? Promise.resolve();
      shared = before.catch(() => undefined).then(() => begin(key));
      next.set(key, shared);
    }
    return shared;
  };
}

/** Processes items in order, at most `width` concurrently. Returns the results in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
