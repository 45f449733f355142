import { type ReactNode, useState } from 'react';
import { Button } from './controls';
import { formatCount, plural } from './format';
import { useLongWork } from './long-work';
import { toasts } from './toasts';

interface Bulk<T> {
  items: readonly T[];
  step: (item: T) => Promise<unknown>;
  /** Past participle for processed items, such as `cancelled`. */
  done: string;
  /** Singular of an item, such as `email`. */
  item: string;
  onSettled: () => void;
}

/** Runs an action on many items, with its progress, and announces the result. */
export function useBulk(): { isBusy: boolean; progress: ReactNode; run: <T>(bulk: Bulk<T>) => void } {
  const work = useLongWork();
  const [{ at, all }, setAt] = useState({ at: 0, all: 0 });
  const run = <T,>({ items, step, done, item, onSettled }: Bulk<T>) =>
    work.start(async ({ signal }) => {
      setAt({ at: 0, all: items.length });
      const ran = await runEach(items, step, { signal, onDone: (count) => setAt({ at: count, all: items.length }) });
      const said = `${plural(ran.done, item)} ${done}`;
      const why = [...new Set(ran.faults.map(({ message }) => message))].join('; ');
      toasts.add({ title: ran.failed > 0 ? `${said}, ${formatCount(ran.failed)} failed: ${why}` : said });
      onSettled();
    });
  return {
    isBusy: work.isBusy,
    progress: work.isBusy && (
      <>
        <span className="small muted" role="status">
          {formatCount(at)} of {formatCount(all)}
        </span>
        <Button size="small" onClick={work.stop}>
          Stop
        </Button>
      </>
    ),
    run,
  };
}

const AT_ONCE = 4;

interface EachOptions {
  signal: AbortSignal;
  onDone: (count: number) => void;
}

interface Ran {
  done: number;
  /** The first errors, of at most 3 items. */
  faults: readonly Error[];
  failed: number;
}

/** Runs a step for each item, four concurrently. A failed one stops no other. */
async function runEach<T>(
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
