/**
 * Settles as the work does, or rejects once it took too long.
 * @param missing begins the message of that rejection, such as `no answer`
 */
export async function inTime<T>(work: Promise<T>, limitMs: number, missing: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Waits one more turn of the event loop: an answer that arrived while this process was busy is read after its timers.
    timer = setTimeout(() => setImmediate(() => reject(new Error(`${missing} within ${limitMs} ms`))), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
