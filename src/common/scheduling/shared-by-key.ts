/**
 * Loads the value of a key once at a time. Callers who ask while it is loaded share the next load: each gets a value that was
 * read after it asked.
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
    let coming = next.get(key);
    if (!coming) {
      const before: Promise<unknown> = running.get(key) ?? Promise.resolve();
      coming = before.catch(() => undefined).then(() => begin(key));
      next.set(key, coming);
    }
    return coming;
  };
}
