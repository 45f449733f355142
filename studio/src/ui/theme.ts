import { useSyncExternalStore } from 'react';
import { fitsMedia } from './use-layout';

export type Theme = 'light' | 'dark' | 'system';

const NAME = 'platform-services-theme';
const DARK = '(prefers-color-scheme: dark)';
const system = matchMedia(DARK);
const listeners = new Set<() => void>();

const read = (): Theme => (localStorage.getItem(NAME) as Theme | null) ?? 'system';
const shownOf = (theme: Theme): 'light' | 'dark' => (theme === 'system' ? (fitsMedia(DARK) ? 'dark' : 'light') : theme);

/** Sets the theme of the page to the chosen one, or to that of the system. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = shownOf(read());
  for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(NAME, theme);
  applyTheme();
}

system.addEventListener('change', applyTheme);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useTheme = (): Theme => useSyncExternalStore(subscribe, read);
/** The current theme, for drawings such as charts. */
export const useShownTheme = (): 'light' | 'dark' => useSyncExternalStore(subscribe, () => shownOf(read()));
