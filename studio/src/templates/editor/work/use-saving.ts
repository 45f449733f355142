import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useApi, useRefusal } from '../../../api/api-context';
import { type Problem, problemOf } from '../../model/problems';
import { type Saved, sourceOf } from '../../model/template';
import { readTemplate, templateKey } from '../../reading';
import { type EditingState, forgetDraft } from './use-editing';

/** Saves a draft, unless somebody else saved the template since it was read. */
export function useSaving(id: string, { draft, base, isDirty, adopt }: EditingState) {
  const api = useApi();
  const queries = useQueryClient();
  const refusal = useRefusal(['document-rendering', 'mutation', 'updateTemplate']);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [conflict, setConflict] = useState<Saved>();

  const write = async (isOverwriting: boolean) => {
    const present = await readTemplate(api, id);
    if (present && !isOverwriting && present.updatedAt > base.updatedAt) {
      setConflict(present);
      return;
    }
    const { type: _, ...source } = sourceOf(draft, base.type);
    const { comment, name, isActive: active } = draft;
    await api.rendering.updateTemplate({ id, input: { ...source, name, comment: comment || null, active } }, { id: true });
    setConflict(undefined);
    const saved = await readTemplate(api, id);
    if (!saved) return;
    queries.setQueryData(templateKey(id), saved);
    adopt(saved);
    forgetDraft(id);
    await queries.invalidateQueries({ queryKey: ['rendering', 'templates'] });
  };

  const save = async (isOverwriting = false) => {
    if (refusal || isBusy || !isDirty) return;
    setBusy(true);
    setError(undefined);
    try {
      await write(isOverwriting);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  useEffect(() => setError(undefined), [draft]);

  const fault: Problem | undefined = useMemo(() => problemOf(error), [error]);
  return {
    save,
    isBusy,
    error,
    fault,
    refusal,
    conflict,
    dismissConflict: () => setConflict(undefined),
    clearError: () => setError(undefined),
  };
}

export type SavingState = ReturnType<typeof useSaving>;

/** Ctrl S and ⌘ S, wherever the focus is on the page. */
export function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (!document.querySelector('[role="dialog"], [role="alertdialog"]')) latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
