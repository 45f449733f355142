import { Checkbox } from '@base-ui/react/checkbox';
import { CheckIcon, MinusIcon } from '@radix-ui/react-icons';
import { type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from './controls';
import { formatCount, plural } from './format';
import { useLongWork } from './long-work';
import { useShortcut } from './shortcuts';
import { toasts } from './toasts';
import { MOST_READ, type ReadAll } from './use-pages';

interface ChoiceOptions<T> {
  /** Loaded items that can be selected, and how the others are read. */
  list: { items: readonly T[]; hasMore: boolean; readAll: ReadAll<T> };
  keyOf: (item: T) => string;
  /** Singular of the items, such as `file`. */
  item: string;
  /** Identity of the list: another one starts with nothing selected. */
  filter: unknown;
}

export interface Chosen<T> {
  items: readonly T[];
  isChosen: (key: string) => boolean;
  toggle: (key: string, isRange: boolean) => void;
  clear: () => void;
  /** Checkbox that selects all loaded items. */
  all: ReactNode;
  /** Number of selected items, and the button that selects every matching one. */
  summary: (about?: string) => ReactNode;
}

/** Returns the selected items of a list. Escape clears them. */
export function useChoice<T>({ list: { items, hasMore, readAll }, keyOf, item, filter }: ChoiceOptions<T>): Chosen<T> {
  const list = JSON.stringify(filter);
  const [chosen, setChosen] = useState<ReadonlyMap<string, T>>(new Map());
  const [chosenIn, setChosenIn] = useState(list);
  if (chosenIn !== list) {
    setChosenIn(list);
    setChosen(new Map());
  }
  const anchor = useRef<string>(undefined);
  const latest = useRef({ items, keyOf });
  useLayoutEffect(() => void (latest.current = { items, keyOf }));
  const clear = useCallback(() => setChosen(new Map()), []);
  useShortcut('Escape', chosen.size > 0 ? clear : undefined);
  const toggle = useCallback((key: string, isRange: boolean) => {
    const { items: all, keyOf: keyIn } = latest.current;
    const at = all.findIndex((item) => keyIn(item) === key);
    if (at < 0) return;
    const from = isRange && anchor.current !== undefined ? all.findIndex((item) => keyIn(item) === anchor.current) : -1;
    if (!isRange || from < 0) anchor.current = key;
    setChosen((now) => {
      const next = new Map(now);
      if (from >= 0) for (const one of all.slice(Math.min(from, at), Math.max(from, at) + 1)) next.set(keyIn(one), one);
      else if (!next.delete(key)) next.set(key, all[at]!);
      return next;
    });
  }, []);
  const choose = (some: readonly T[]) => setChosen(new Map(some.map((item) => [keyOf(item), item])));
  const matching = useMatching(readAll, choose);
  const count = chosen.size;
  const isAll = count > 0 && count >= items.length;
  const label = `Select all ${plural(items.length, item)}${hasMore ? ' loaded so far' : ''}`;
  return {
    items: useMemo(() => [...chosen.values()], [chosen]),
    isChosen: (key) => chosen.has(key),
    toggle,
    clear,
    all: (
      <Checkbox.Root
        className="record-box"
        aria-label={label}
        title={label}
        checked={isAll}
        indeterminate={count > 0 && !isAll}
        onCheckedChange={() => (isAll ? clear() : choose(items))}
      >
        <span className={count > 0 ? 'box chosen' : 'box'}>
          <Checkbox.Indicator>{isAll ? <CheckIcon /> : <MinusIcon />}</Checkbox.Indicator>
        </span>
      </Checkbox.Root>
    ),
    summary: (about) => (
      <>
        <strong className="truncate" role="status">
          {[matching.isReading ? `Selecting ${formatCount(matching.count)}` : `${formatCount(count)} selected`, about]
            .filter(Boolean)
            .join(', ')}
        </strong>
        {hasMore && count === items.length && !matching.isReading && (
          <Button size="small" look="plain" onClick={matching.start}>
            Select all that match
          </Button>
        )}
        {matching.isReading && (
          <Button size="small" look="plain" onClick={matching.stop}>
            Stop
          </Button>
        )}
        <span className="grow" />
      </>
    ),
  };
}

/** Selects every matching item, beyond the loaded ones. */
function useMatching<T>(readAll: ReadAll<T>, choose: (items: readonly T[]) => void) {
  const work = useLongWork();
  const [count, setCount] = useState(0);
  const start = () =>
    work.start(async ({ signal }) => {
      try {
        const { items, hasMore } = await readAll(signal, setCount);
        choose(items);
        if (hasMore) toasts.add({ title: `The first ${formatCount(MOST_READ)} are selected. Narrow the filter for the others` });
      } catch (error) {
        if (!signal.aborted) toasts.add({ title: `Couldn’t select all: ${(error as Error).message}` });
      }
    });
  return { count, isReading: work.isBusy, start, stop: work.stop };
}
