import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../api/use-action';
import { Confirm } from '../../ui/confirm';
import { KINDS } from '../model/kinds';
import { canonical, languageName } from '../model/languages';
import type { Draft, Saved } from '../model/template';
import { templateKey } from '../reading';
import { ConflictDialog } from './dialogs/conflict-dialog';
import { SendTestDialog } from './dialogs/send-test-dialog';
import { VersionsDialog } from './dialogs/versions-dialog';
import { type EditingState, forgetDraft } from './work/use-editing';
import type { Preview, Reader } from './work/use-preview';
import { forgetSample } from './work/use-samples';
import type { SavingState } from './work/use-saving';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { LanguageField } from './panes/reader-bar';
import { Modal } from '../../ui/controls';
import { Differences } from './dialogs/differences';

export type OpenDialog = 'compare' | 'delete' | 'language' | 'send' | 'versions';

interface EditorDialogsProps {
  open: OpenDialog | undefined;
  onOpen: (open: OpenDialog | undefined) => void;
  editing: EditingState;
  saving: SavingState;
  preview: Preview;
  params: string;
  reader: Reader;
}

/** All dialogs of the editor. */
export function EditorDialogs({ open, onOpen, editing, saving, preview, params, reader }: EditorDialogsProps) {
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

interface DeleteDialogProps {
  of: Saved;
  isOpen: boolean;
  onClose: () => void;
  onDeleted: () => void;
}

/** Confirms a deletion, and returns to the list. */
export function DeleteDialog({ of, isOpen, onClose, onDeleted }: DeleteDialogProps) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { home, loss, remove } = KINDS[of.kind];
  const deleting = useAction((api) => remove(api, of), {
    done: 'Deleted',
    again: ['rendering'],
    onDone: () => {
      forgetDraft(of.href);
      if (!of.original) forgetSample(of.id);
      onDeleted();
      navigate(of.original?.href ?? home);
      if (!of.original) queries.removeQueries({ queryKey: templateKey(of.id) });
    },
  });
  const name = of.original ? `the translation ${languageName(of.locale)}` : of.name;
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" isOpen={isOpen} onClose={onClose} onConfirm={() => deleting.mutateAsync()}>
      {loss}
    </Confirm>
  );
}

/** Creates a translation with the saved texts of the template. */
function AddLanguage({ of, onClose }: { of: Saved; onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useForm({
    first: { locale: '' },
    send: (entered, { rendering }) => {
      const input = { subject: of.subject || null, body: of.body };
      return rendering.putTemplateTranslation({ templateId: of.id, locale: canonical(entered.locale)!, input }, { locale: true });
    },
    again: ['rendering'],
    onDone: ({ locale }) => {
      onClose();
      navigate(`${of.href}/${locale}`);
    },
  });
  const { fault, ...field } = form.field('locale');
  const tag = canonical(field.value);
  const isTaken = tag !== undefined && [of, ...of.translations].some(({ locale }) => locale === tag);
  const taken = isTaken ? 'The template has this language already.' : undefined;
  return (
    <FormDialog
      form={form}
      title="Add language"
      action="Add"
      tried="add the language"
      refusal={tag ? taken : 'Enter a language tag first'}
      onClose={onClose}
    >
      <LanguageField label="Language" hint="A tag, for example de or pt-BR." required {...field} fault={taken ?? fault} />
      <p className="muted small">The translation begins with the saved texts of the template.</p>
    </FormDialog>
  );
}

interface CompareDialogProps {
  saved: Draft;
  draft: Draft;
  isOpen: boolean;
  onClose: () => void;
}

/** Differences between the draft and the saved template. */
function CompareDialog({ saved, draft, isOpen, onClose }: CompareDialogProps) {
  return (
    <Modal title="Compare changes" form="wide" isOpen={isOpen} onClose={onClose}>
      <p className="muted small">Left: the saved template. Right: your changes.</p>
      <Differences before={saved} after={draft} same="No unsaved changes." />
    </Modal>
  );
}
