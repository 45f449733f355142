const AT_ONCE = 4;

interface EachOptions {
  signal: AbortSignal;
  onDone: (count: number) => void;
}

export interface Ran {
  done: number;
  /** The first errors, of at most 3 items. */
  faults: readonly Error[];
  failed: number;
}

/** Runs a step for each item, four concurrently. A failed one stops no other. */
export async function runEach<T>(
  items: readonly T[],
  step: (item: T) => Promise<unknown>,
  { signal, onDone }: EachOptions,
): Promise<Ran> {
  const waiting = [...items];
  const faults: Error[] = [];
  let [done, failed] = [0, 0];
  const work = async () => {
    while (waiting.length > 0 && !signal.aborted) {
      try {
        await step(waiting.shift()!);
        done += 1;
      } catch (error) {
        failed += 1;
        if (faults.length < 3) faults.push(error as Error);
      }
      onDone(done + failed);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, faults, failed };
}
