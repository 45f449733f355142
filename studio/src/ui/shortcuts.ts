import { useEffectEvent, useLayoutEffect } from 'react';

/** All keyboard shortcuts, for their help page. */
export const SHORTCUTS: readonly { keys: string; does: string }[] = [
  { keys: '⌘ K or Ctrl K', does: 'Find anything' },
  { keys: '/', does: 'Go to search' },
  { keys: '↑ ↓', does: 'Move in a list' },
  { keys: 'Enter', does: 'Open selected item' },
  { keys: 'Escape', does: 'Close' },
  { keys: 'C', does: 'Main action of the page, for example New template' },
  { keys: 'G then a letter', does: 'Go to: O overview, F files, T templates, P push, L log, E email, W webhooks, K tenants' },
  { keys: 'I', does: 'Show API requests' },
  { keys: '?', does: 'Show these shortcuts' },
];

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Returns whether a dialog or a menu is open. A toast has the role of a dialog, but covers nothing. */
export const isCovered = (): boolean =>
  document.querySelector(':is([role="dialog"], [role="alertdialog"], [role="menu"]):not(.toast)') !== null;

/** Runs an action for a key pressed outside of fields and dialogs. */
export function useShortcut(key: string, action: (() => void) | undefined): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || isCovered() || !action) return;
    event.preventDefault();
    action();
  });
  // Before the first paint, so that a key works as soon as the page is visible.
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => press(event);
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}
