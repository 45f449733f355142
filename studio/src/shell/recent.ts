import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { session } from '../api/session';

const NAME = 'platform-services-recent';
const KEPT = 6;
/** A page has its title by then. */
const SETTLED_MS = 1_000;

interface Place {
  path: string;
  word: string;
}

/** The places of this tab that were looked at last, newest first. They go with the key. */
export function readRecent(): readonly Place[] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as Place[];
  } catch {
    return [];
  }
}

session.subscribe(() => sessionStorage.removeItem(NAME));

/** Remembers the place that is shown. */
export function useRecent(): void {
  const [path] = useLocation();
  useEffect(() => {
    const timer = setTimeout(() => {
      const word = document.title.replace(/ · Studio$/, '');
      const others = readRecent().filter((one) => one.path !== path && one.word !== word);
      sessionStorage.setItem(NAME, JSON.stringify([{ path, word }, ...others].slice(0, KEPT)));
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [path]);
}
