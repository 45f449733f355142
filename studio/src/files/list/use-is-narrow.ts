import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 860px)');
const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
};

/** Whether the window has no room for the columns of a list. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
