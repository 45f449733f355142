import { type ReactNode, useState } from 'react';
import { Button } from './controls';
import { formatCount, plural } from './format';
import { useLongWork } from './long-work';
import { runEach } from './run-each';
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
