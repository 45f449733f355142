import { useSyncExternalStore } from 'react';

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
