import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';

/** Prefix of drafts that are removed with the key: of mails, in the browser, and of pushes, for the session of the tab. */
export const DRAFTS = 'studio-draft:';
const PAUSE_MS = 500;

/** Reads a value stored for the session of the tab, or in the browser. */
export function readKept<T>(name: string, place: Storage = sessionStorage): T | undefined {
  try {
    return JSON.parse(place.getItem(name) ?? '') as T;
  } catch {
    return undefined;
  }
}

/** Stores a value; `undefined` removes it. One that exceeds the storage of the browser is not stored. */
export function keep(name: string, value: unknown, place: Storage = sessionStorage): void {
  try {
    if (value === undefined) place.removeItem(name);
    else place.setItem(name, JSON.stringify(value));
  } catch {
    place.removeItem(name);
  }
}

/** Removes all drafts of a key that is left. */
export function forgetDrafts(): void {
  for (const place of [sessionStorage, localStorage])
    for (const name of Object.keys(place)) if (name.startsWith(DRAFTS)) place.removeItem(name);
}

/** Returns a setting of this browser, and its setter; `undefined` removes it. */
export function useSetting<T>(name: string): [value: T | undefined, set: (value: T | undefined) => void] {
  const [value, setValue] = useState(() => readKept<T>(name, localStorage));
  const set = (next: T | undefined) => {
    keep(name, next, localStorage);
    setValue(next);
  };
  return [value, set];
}

/** Stores a draft a moment after its last change, and when the page is left. Returns a function that removes it. */
export function useKept(
  name: string,
  value: object | undefined,
  store: (name: string, value: unknown) => void = keep,
): () => void {
  const isForgotten = useRef(false);
  const write = useEffectEvent(() => store(name, isForgotten.current ? undefined : value));
  useEffect(() => {
    const timer = setTimeout(() => store(name, isForgotten.current ? undefined : value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, value, store]);
  useEffect(() => {
    const leave = () => write();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  return useCallback(() => {
    isForgotten.current = true;
    store(name, undefined);
  }, [name, store]);
}
