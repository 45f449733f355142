/**
 * Calls `expire` after a time, unless the returned function is called first. An answer that arrived while this process was busy or
 * suspended counts: the event loop reads it after its timers, and `expire` is called after that.
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
 * Awaits the work, or rejects after a time limit.
 * @param missing first words of the rejection, such as `no answer`
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
