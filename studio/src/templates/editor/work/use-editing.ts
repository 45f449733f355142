import { useCallback, useMemo, useState } from 'react';
import { keep, readKept, useKept } from '../../../ui/kept';
import { changedFields, type Draft, draftOf, type Saved } from '../../model/template';

interface Editing {
  draft: Draft;
  /** Version that the draft is based on. */
  base: Saved;
}

/** The draft of what has this address. */
const nameOf = (href: string) => `studio-template-draft:${href}`;

/** Returns the draft of a template. Unsaved changes are stored for the session of the tab. */
export function useEditing(saved: Saved) {
  const [{ draft, base }, setEditing] = useState<Editing>(
    () => readKept<Editing>(nameOf(saved.href)) ?? { draft: draftOf(saved), base: saved },
  );
  const [isRestored] = useState(() => readKept(nameOf(saved.href)) !== undefined);
  const changed = changedFields(draft, base);
  const isDirty = changed.length > 0;
  const adopt = useCallback((next: Saved) => setEditing({ draft: draftOf(next), base: next }), []);
  const change = useCallback((part: Partial<Draft>) => setEditing((now) => ({ ...now, draft: { ...now.draft, ...part } })), []);
  /** Stores the draft, based on a newer version. */
  const rebase = useCallback((next: Saved) => setEditing((now) => ({ draft: now.draft, base: next })), []);
  const isNewer = saved.updatedAt > base.updatedAt;
  if (isNewer && !isDirty) adopt(saved);
  useKept(
    nameOf(saved.href),
    useMemo(() => (isDirty ? { draft, base } : undefined), [isDirty, draft, base]),
  );
  return { draft, base, changed, isDirty, isRestored, change, adopt, rebase, newer: isNewer && isDirty ? saved : undefined };
}

export type EditingState = ReturnType<typeof useEditing>;

/** Discards unsaved changes. */
export const forgetDraft = (href: string): void => keep(nameOf(href), undefined);
