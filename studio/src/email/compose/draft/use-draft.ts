import { useMemo, useState } from 'react';
import { keep, MAIL_DRAFT, readKept, useKept } from '../../../ui/kept';
import { type Draft, EMPTY, isUntouched } from './draft';

interface Kept {
  draft: Draft;
  /** Search part of the URL at which it started, such as that of an earlier mail. */
  search: string;
}

/** Returns the current draft. It is stored for the session of the tab, and removed with the key. */
export function useDraft(begun: Partial<Draft> | undefined) {
  const [{ draft, search }, setKept] = useState<Kept>(() => {
    const known = readKept<Kept>(MAIL_DRAFT);
    return known && (!begun || known.search === location.search)
      ? { ...known, draft: { ...EMPTY, ...known.draft } }
      : { draft: { ...EMPTY, ...begun }, search: location.search };
  });
  const setDraft = (next: Draft | ((known: Draft) => Draft)) =>
    setKept((kept) => ({ ...kept, draft: typeof next === 'function' ? next(kept.draft) : next }));
  const kept = useMemo(() => (isUntouched(draft) ? undefined : { draft, search }), [draft, search]);
  const forget = useKept(MAIL_DRAFT, kept);
  return { draft, setDraft, forget, keep: () => keep(MAIL_DRAFT, kept) };
}
