import { toasts } from '../../ui/toasts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { Confirm } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { KINDS } from '../model/kinds';
import { languageName } from '../model/languages';
import type { Saved } from '../model/template';
import { templateKey } from '../reading';
import { AddLanguage } from './dialogs/add-language';
import { CompareDialog } from './dialogs/compare-dialog';
import { ConflictDialog } from './dialogs/conflict-dialog';
import { SendTestDialog } from './dialogs/send-test-dialog';
import { VersionsDialog } from './dialogs/versions-dialog';
import { type EditingState, forgetDraft } from './work/use-editing';
import type { Preview, Reader } from './work/use-preview';
import { forgetSample } from './work/use-samples';
import type { SavingState } from './work/use-saving';

export type OpenDialog = 'compare' | 'delete' | 'language' | 'send' | 'versions';

/** All dialogs of the editor. */
export function EditorDialogs({
  open,
  onOpen,
  editing,
  saving,
  preview,
  params,
  reader,
}: {
  open: OpenDialog | undefined;
  onOpen: (open: OpenDialog | undefined) => void;
  editing: EditingState;
  saving: SavingState;
  preview: Preview;
  params: string;
  reader: Reader;
}) {
  const { draft, base, isDirty, newer, adopt } = editing;
  const { conflict, dismissConflict, save } = saving;
  const [compared, setCompared] = useState<typeof conflict>();
  const close = () => {
    onOpen(undefined);
    setCompared(undefined);
  };
  return (
    <>
      <CompareDialog saved={compared ?? newer ?? base} draft={draft} isOpen={open === 'compare'} onClose={close} />
      <VersionsDialog base={base} isDirty={isDirty} isOpen={open === 'versions'} onClose={close} onRestored={adopt} />
      {open === 'send' && (
        <SendTestDialog onClose={close} name={base.name} isDirty={isDirty} preview={preview} params={params} reader={reader} />
      )}
      <ConflictDialog
        word={KINDS[base.kind].word}
        newer={conflict}
        onClose={dismissConflict}
        onCompare={() => {
          setCompared(conflict);
          dismissConflict();
          onOpen('compare');
        }}
        onOverwrite={() => void save(conflict)}
        onTake={() => {
          forgetDraft(base.href);
          if (conflict) adopt(conflict);
          dismissConflict();
        }}
      />
      <DeleteDialog isOpen={open === 'delete'} onClose={close} of={base} onDeleted={() => adopt(base)} />
      {open === 'language' && <AddLanguage of={base.original ?? base} onClose={close} />}
    </>
  );
}

/** Confirms a deletion, and returns to the list. */
export function DeleteDialog({
  of,
  isOpen,
  onClose,
  onDeleted,
}: {
  of: Saved;
  isOpen: boolean;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>();
  const { word, home, loss, remove } = KINDS[of.kind];
  const confirm = async () => {
    setError(undefined);
    try {
      await remove(api, of);
    } catch (failure) {
      setError(failure);
      throw failure;
    }
    toasts.add({ title: 'Deleted' });
    forgetDraft(of.href);
    if (!of.original) forgetSample(of.id);
    onDeleted();
    navigate(of.original?.href ?? home);
    if (!of.original) queries.removeQueries({ queryKey: templateKey(of.id) });
    await queries.invalidateQueries({ queryKey: ['rendering'] });
  };
  const name = of.original ? `the translation ${languageName(of.locale)}` : of.name;
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" isOpen={isOpen} onClose={onClose} onConfirm={confirm}>
      <div className="stack">
        <p>{loss}</p>
        {error !== undefined && <ErrorNotice error={error} tried={`delete the ${word}`} />}
      </div>
    </Confirm>
  );
}
