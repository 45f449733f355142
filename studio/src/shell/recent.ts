import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { session } from '../api/session';

const NAME = 'platform-services-recent';
const KEPT = 6;
/** Delay after which a page has its title. */
const SETTLED_MS = 1_000;

interface Place {
  path: string;
  word: string;
}

/** Recently visited places of this tab, newest first. They are removed with the key. */
export function readRecent(): readonly Place[] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as Place[];
  } catch {
    return [];
  }
}

session.subscribe(() => sessionStorage.removeItem(NAME));

/** Records the current place. */
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
