import { useSyncExternalStore } from 'react';

/** Setting of this browser: whether times are shown, and entered, in UTC. */
const NAME = 'platform-services-utc';
const listeners = new Set<() => void>();

export const isUtc = (): boolean => localStorage.getItem(NAME) === 'true';

export function chooseUtc(isChosen: boolean): void {
  if (isChosen) localStorage.setItem(NAME, 'true');
  else localStorage.removeItem(NAME);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useUtc = (): boolean => useSyncExternalStore(subscribe, isUtc);

/** Label of a field for a time. */
export const timeLabel = (label: string): string => (isUtc() ? `${label} (UTC)` : label);
