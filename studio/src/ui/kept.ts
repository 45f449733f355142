import { useCallback, useEffect, useEffectEvent, useRef } from 'react';

/** Draft of a mail, which is removed with the key. */
export const MAIL_DRAFT = 'studio-email-draft';
const PAUSE_MS = 500;

/** Reads a draft stored for the session of the tab. */
export function readKept<T>(name: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? '') as T;
  } catch {
    return undefined;
  }
}

/** Stores a draft; `undefined` removes it. One that exceeds the storage of the browser is not stored. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(name);
  }
}

/** Stores a draft a moment after its last change, and when the page is left. Returns a function that removes it. */
export function useKept(name: string, value: object | undefined): () => void {
  const isForgotten = useRef(false);
  const write = useEffectEvent(() => keep(name, isForgotten.current ? undefined : value));
  useEffect(() => {
    const timer = setTimeout(() => keep(name, isForgotten.current ? undefined : value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, value]);
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
    keep(name, undefined);
  }, [name]);
}
