/**
 * Calls `expire` after a time, unless the function that it returns is called before. An answer that arrived while this process
 * was busy or suspended counts: it is read after the timers of its next turn of the event loop, and `expire` is called after it.
 */
export function afterSilence(limitMs: number, expire: () => void): () => void {
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (last = setImmediate(expire)), limitMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}

/**
 * Settles as the work does, or rejects once it took too long.
 * @param missing begins the message of that rejection, such as `no answer`
 */
export async function inTime<T>(work: Promise<T>, limitMs: number, missing: string): Promise<T> {
  let answered: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    answered = afterSilence(limitMs, () => reject(new Error(`${missing} within ${limitMs} ms`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    answered?.();
  }
}
