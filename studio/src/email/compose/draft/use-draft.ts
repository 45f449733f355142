import { useCallback, useMemo, useState } from 'react';
import { useDescription } from '../../../api/api-context';
import { uploads } from '../../../files/uploads/upload-store';
import { useKept } from '../../../ui/kept';
import { type Draft, EMPTY, isUntouched } from './draft';
import { findDraft, keepCurrent, readCurrent, storeDraft } from './drafts';

/**
 * Returns a draft: the one with an id, that of the tab, or a new one. It is stored in the browser, and removed when it is sent or
 * discarded, or with the key.
 */
export function useDraft(begun: Partial<Draft> | undefined, wanted: string | undefined) {
  const { id: keyId } = useDescription();
  const [{ id, search, first }] = useState(() => {
    const known = findDraft(keyId, wanted ?? readCurrent());
    const isSame = known && (wanted !== undefined || !begun || known.search === location.search);
    const started = isSame
      ? { ...known, first: { ...EMPTY, ...known.draft } }
      : { id: crypto.randomUUID(), search: location.search, first: { ...EMPTY, ...begun } };
    keepCurrent(started.id);
    return started;
  });
  const [draft, setDraft] = useState<Draft>(first);
  const kept = useMemo(() => (isUntouched(draft) ? undefined : { draft, search }), [draft, search]);
  const store = useCallback((name: string, value: unknown) => storeDraft(keyId, name, value as typeof kept), [keyId]);
  const forgetKept = useKept(id, kept, store);
  const forget = () => {
    uploads.cancelGroup(id);
    forgetKept();
  };
  const restore = () => {
    store(id, kept);
    keepCurrent(id);
  };
  return { id, draft, setDraft, forget, restore };
}
