import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { Confirm } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { templateKey } from '../reading';
import { CompareDialog } from './dialogs/compare-dialog';
import { ConflictDialog } from './dialogs/conflict-dialog';
import { SendTestDialog } from './dialogs/send-test-dialog';
import { VersionsDialog } from './dialogs/versions-dialog';
import { type EditingState, forgetDraft } from './work/use-editing';
import type { Preview } from './work/use-preview';
import { forgetSample } from './work/use-samples';
import type { SavingState } from './work/use-saving';

export type OpenDialog = 'compare' | 'delete' | 'send' | 'versions';

/** Everything that opens above the editor. */
export function EditorDialogs({
  open,
  onOpen,
  editing,
  saving,
  preview,
  params,
}: {
  open: OpenDialog | undefined;
  onOpen: (open: OpenDialog | undefined) => void;
  editing: EditingState;
  saving: SavingState;
  preview: Preview;
  params: string;
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
      <SendTestDialog
        isOpen={open === 'send'}
        onClose={close}
        name={base.name}
        isDirty={isDirty}
        preview={preview}
        params={params}
      />
      <ConflictDialog
        newer={conflict}
        onClose={dismissConflict}
        onCompare={() => {
          setCompared(conflict);
          dismissConflict();
          onOpen('compare');
        }}
        onOverwrite={() => void save(true)}
        onTake={() => {
          forgetDraft(base.id);
          if (conflict) adopt(conflict);
          dismissConflict();
        }}
      />
      <DeleteDialog isOpen={open === 'delete'} onClose={close} id={base.id} name={base.name} onDeleted={() => adopt(base)} />
    </>
  );
}

function DeleteDialog({
  isOpen,
  onClose,
  id,
  name,
  onDeleted,
}: {
  isOpen: boolean;
  onClose: () => void;
  id: string;
  name: string;
  onDeleted: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>();
  const remove = async () => {
    setError(undefined);
    try {
      await api.rendering.deleteTemplate({ id }, { id: true });
    } catch (failure) {
      setError(failure);
      throw failure;
    }
    forgetDraft(id);
    forgetSample(id);
    onDeleted();
    navigate('/');
    queries.removeQueries({ queryKey: templateKey(id) });
    await queries.invalidateQueries({ queryKey: ['rendering', 'templates'] });
  };
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" isOpen={isOpen} onClose={onClose} onConfirm={remove}>
      <p>Requests that render this template fail. This can’t be undone.</p>
      {error !== undefined && <ErrorNotice error={error} tried="delete the template" />}
    </Confirm>
  );
}
