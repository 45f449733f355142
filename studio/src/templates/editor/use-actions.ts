import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import type { MenuEntry } from '../../ui/controls';
import { toasts } from '../../ui/toasts';
import { ConflictError } from '../../../../clients/js/src/errors';
import type { Api } from '../../api/client';
import { KINDS } from '../model/kinds';
import { type Draft, type Saved, sourceOf } from '../model/template';
import type { OpenDialog } from './editor-dialogs';
import { keepSample } from './work/use-samples';

interface Given {
  draft: Draft;
  base: Saved;
  isDirty: boolean;
  sampleText: string;
  onOpen: (open: OpenDialog) => void;
  onDiscard: () => void;
}

/** Actions on a template besides saving, each with the reason if the key may not. */
export function useActions({ draft, base, isDirty, sampleText, onOpen, onDiscard }: Given) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const createRefusal = useRefusal(['document-rendering', 'mutation', 'createTemplate']);
  const languageRefusal = useRefusal(KINDS.translation.saveRight);
  const deleteRefusal = useRefusal(KINDS[base.kind].deleteRight);
  const sendRefusal = useRefusal(['email', 'mutation', 'sendMessage']);
  const duplicate = async () => {
    try {
      const id = await createCopy(api, draft, base);
      if (sampleText !== (base.sampleParams || '{}')) keepSample(id, sampleText);
      await queries.invalidateQueries({ queryKey: ['rendering', 'templates'] });
      navigate(`/${id}`);
    } catch (error) {
      toasts.add({ title: `Couldn’t duplicate the template: ${(error as Error).message}` });
    }
  };
  const nothing = isDirty ? undefined : 'No unsaved changes';
  const ofTemplate: MenuEntry[] = [
    { label: 'Versions', onSelect: () => onOpen('versions') },
    { label: 'Duplicate', onSelect: () => void duplicate(), refusal: createRefusal },
  ];
  const ofOwn: MenuEntry[] = [
    { label: 'Compare with saved', onSelect: () => onOpen('compare'), refusal: nothing },
    { label: 'Discard changes', onSelect: onDiscard, refusal: nothing },
    ...(base.kind === 'template'
      ? [{ label: 'Add language', onSelect: () => onOpen('language'), refusal: languageRefusal }, ...ofTemplate]
      : []),
    { label: 'Delete', onSelect: () => onOpen('delete'), refusal: deleteRefusal, isDanger: true },
  ];
  const entries = base.isInherited ? (base.kind === 'template' ? ofTemplate : []) : ofOwn;
  const latest = useRef(entries);
  useLayoutEffect(() => void (latest.current = entries));
  const words = entries.flatMap(({ label, refusal }) => (refusal ? [] : label)).join('\n');
  // The palette needs a stable list as long as its words stay the same.
  const commands = useMemo(
    () => words.split('\n').map((word) => ({ word, run: () => latest.current.find(({ label }) => label === word)?.onSelect() })),
    [words, latest],
  );
  return { entries, commands, sendRefusal };
}

const MOST_COPIES = 50;

/** Creates a template with the content of a draft, under the first free name. */
async function createCopy(api: Api, draft: Draft, { type, sampleParams }: Saved): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const name = `${draft.name.slice(0, 1_000)} copy${copy > 1 ? ` ${copy}` : ''}`;
    try {
      const input = { ...sourceOf(draft, type), name, comment: draft.comment || null, sampleParams: sampleParams || null };
      return (await api.rendering.createTemplate({ input }, { id: true })).id;
    } catch (error) {
      if (!(error instanceof ConflictError) || copy === MOST_COPIES) throw error;
    }
  }
}
