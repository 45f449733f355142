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

/** Precision of a browser field: characters of `2026-11-23T18:30:00`. */
const LENGTHS = { minute: 16, second: 19 } as const;

/** Formats a time for a browser field, in the chosen zone; empty for an invalid text. */
export function toField(at: string | Date | undefined, precision: keyof typeof LENGTHS = 'second'): string {
  const time = at === undefined ? new Date(NaN) : new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  const offsetMs = isUtc() ? 0 : time.getTimezoneOffset() * 60_000;
  return new Date(time.getTime() - offsetMs).toISOString().slice(0, LENGTHS[precision]);
}

/** Parses a browser field; undefined while it is empty. */
export function fromField(text: string): string | undefined {
  const time = new Date(isUtc() && text ? `${text}Z` : text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
