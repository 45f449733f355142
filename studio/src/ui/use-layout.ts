import { useSyncExternalStore, useEffect, useLayoutEffect, useState } from 'react';

/**
 * Returns whether the window matches a media query. Uses a list of its own: Chromium sends no change event for a list whose `matches` is
 * read between the change and the event.
 */
export const fitsMedia = (query: string): boolean => matchMedia(query).matches;

/** Returns whether the window matches a media query. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => fitsMedia(query),
  );
}

/** Width of an element in whole pixels; 0 until it is known. */
export function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

/** Maximum width of a list with two lines a row. */
const NARROW = 760;

/** Returns whether a list has two lines a row. */
export function useIsNarrow(box: { readonly current: HTMLElement | null }): boolean {
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const measure = () => setNarrow(box.current!.clientWidth <= NARROW);
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, [box]);
  return isNarrow;
}
