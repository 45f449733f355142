import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';

export interface Chosen {
  isChosen: (key: string) => boolean;
  toggle: (key: string, isRange: boolean) => void;
  ids: ReadonlySet<string>;
  chooseAll: () => void;
  clear: () => void;
}

/** Returns the chosen files of a list, in which some rows, such as folders, cannot be chosen. Another list starts empty. */
export function useChoice(keys: readonly string[], list: string): Chosen {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [chosenIn, setChosenIn] = useState(list);
  if (chosenIn !== list) {
    setChosenIn(list);
    setIds(new Set());
  }
  const anchor = useRef<string>(undefined);
  const latest = useRef(keys);
  useLayoutEffect(() => void (latest.current = keys));
  const clear = useCallback(() => setIds(new Set()), []);
  const toggle = useCallback((key: string, isRange: boolean) => {
    const all = latest.current;
    const at = all.indexOf(key);
    if (at < 0) return;
    const from = isRange && anchor.current !== undefined ? all.indexOf(anchor.current) : -1;
    if (!isRange || from < 0) anchor.current = key;
    setIds((now) => {
      const next = new Set(now);
      if (from >= 0) for (const one of all.slice(Math.min(from, at), Math.max(from, at) + 1)) next.add(one);
      else if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const chooseAll = useCallback(() => setIds(new Set(latest.current)), []);
  return useMemo(
    () => ({ ids, toggle, chooseAll, clear, isChosen: (key: string) => ids.has(key) }),
    [ids, toggle, chooseAll, clear],
  );
}
