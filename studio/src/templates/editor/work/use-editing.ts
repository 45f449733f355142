import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { changedFields, type Draft, draftOf, type Saved } from '../../model/template';

interface Editing {
  draft: Draft;
  /** The version that the draft began from. */
  base: Saved;
}

/** The draft of what has this address. */
const nameOf = (href: string) => `studio-template-draft:${href}`;

/** The draft of a template. What is not saved is kept for the session of the tab. */
export function useEditing(saved: Saved) {
  const [{ draft, base }, setEditing] = useState<Editing>(() => kept(saved.href) ?? { draft: draftOf(saved), base: saved });
  const [isRestored] = useState(() => kept(saved.href) !== undefined);
  const changed = changedFields(draft, base);
  const isDirty = changed.length > 0;
  const adopt = useCallback((next: Saved) => setEditing({ draft: draftOf(next), base: next }), []);
  const change = useCallback((part: Partial<Draft>) => setEditing((now) => ({ ...now, draft: { ...now.draft, ...part } })), []);
  /** Keeps the draft, and counts its changes from a newer version. */
  const rebase = useCallback((next: Saved) => setEditing((now) => ({ draft: now.draft, base: next })), []);
  const isNewer = saved.updatedAt > base.updatedAt;
  if (isNewer && !isDirty) adopt(saved);
  useKept(saved.href, draft, base, isDirty);
  return { draft, base, changed, isDirty, isRestored, change, adopt, rebase, newer: isNewer && isDirty ? saved : undefined };
}

const PAUSE_MS = 500;

/** Keeps what is not saved a moment after the last key, and when the page is left. */
function useKept(href: string, draft: Draft, base: Saved, isDirty: boolean): void {
  const write = useEffectEvent(() => keep(href, isDirty ? { draft, base } : undefined));
  useEffect(() => {
    const timer = setTimeout(() => keep(href, isDirty ? { draft, base } : undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [href, draft, base, isDirty]);
  useEffect(() => {
    const leave = () => write();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
}

export type EditingState = ReturnType<typeof useEditing>;

/** Forgets what was not saved. */
export const forgetDraft = (href: string): void => sessionStorage.removeItem(nameOf(href));

function kept(href: string): Editing | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(href)) ?? '') as Editing;
  } catch {
    return undefined;
  }
}

/** A draft that is larger than the room of the browser is not kept; the warning before leaving stays. */
function keep(href: string, editing: Editing | undefined): void {
  if (!editing) {
    forgetDraft(href);
    return;
  }
  try {
    sessionStorage.setItem(nameOf(href), JSON.stringify(editing));
  } catch {
    forgetDraft(href);
  }
}
