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
