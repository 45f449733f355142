import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { ConflictError } from '../../../../../clients/js/src/errors';
import { useApi, useRefusal } from '../../../api/api-context';
import { isCovered } from '../../../ui/shortcuts';
import { type Problem, problemOf } from '../../model/problems';
import { KINDS } from '../../model/kinds';
import type { Saved } from '../../model/template';
import { toasts } from '../../../ui/toasts';
import { type EditingState, forgetDraft } from './use-editing';

const isOutdated = (error: unknown) => error instanceof ConflictError && error.field === 'input.changedAfter';

/** Saves a draft, unless somebody else saved meanwhile. Reports the position of the refusing error. */
export function useSaving({ draft, base, isDirty, adopt }: EditingState, onFault?: (fault: Problem) => void) {
  const api = useApi();
  const queries = useQueryClient();
  const kind = KINDS[base.kind];
  const cannotSave = useRefusal(kind.saveRight);
  const refusal = base.isInherited ? 'Only the parent tenant can change it' : cannotSave;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useErrorOf(draft);
  const [conflict, setConflict] = useState<Saved>();

  const write = async (over: Saved) => {
    try {
      await kind.save(api, base, draft, over.updatedAt);
    } catch (failure) {
      const present = isOutdated(failure) && (await kind.read(api, base));
      if (!present) throw failure;
      setConflict(present);
      return;
    }
    setConflict(undefined);
    const saved = await kind.read(api, base);
    if (!saved) return;
    adopt(saved);
    toasts.add({ title: 'Saved' });
    forgetDraft(base.href);
    await queries.invalidateQueries({ queryKey: ['rendering'] });
  };

  /** Saves over the given version. A newer one is a conflict. */
  const save = async (over = base) => {
    if (refusal || isBusy || !isDirty) return;
    setBusy(true);
    setError(undefined);
    try {
      await write(over);
    } catch (failure) {
      setError(failure);
      const place = problemOf(failure);
      if (place) onFault?.(place);
    } finally {
      setBusy(false);
    }
  };

  const fault: Problem | undefined = useMemo(() => problemOf(error), [error]);
  const dismissConflict = () => setConflict(undefined);
  const clearError = () => setError(undefined);
  return { save, isBusy, error, fault, refusal, conflict, dismissConflict, clearError };
}

/** Error of the last save, cleared by a change of the draft. */
function useErrorOf(draft: EditingState['draft']) {
  const [error, setError] = useState<unknown>();
  const [judged, setJudged] = useState(draft);
  if (judged !== draft) {
    setJudged(draft);
    setError(undefined);
  }
  return [error, setError] as const;
}

export type SavingState = ReturnType<typeof useSaving>;

/** Ctrl S and ⌘ S, wherever the focus is on the page. */
export function useSaveKey(save: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (!isCovered()) save();
  });
  useEffect(() => {
    const hear = (event: KeyboardEvent) => press(event);
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}
