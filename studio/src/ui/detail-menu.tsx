import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { ActionMenu, IconButton, type MenuEntry, Modal } from './controls';
import { copy, copyId, Snippet } from './copy';
import { codeOf, LANGUAGES, type ObjectRequest } from './request-code';
import { toasts } from './toasts';

export interface DetailOf {
  id?: string | undefined;
  /** JSON of the API; undefined while loading. */
  json: unknown;
  /** Query that returns it, to be copied as a program. */
  request?: ObjectRequest | undefined;
}

/** Entries of every detail's menu, with their dialog. */
export function useDetailEntries({ id, json, request }: DetailOf): { entries: MenuEntry[]; dialog: ReactNode } {
  const [isOpen, setOpen] = useState(false);
  return {
    entries: [
      ...(id ? [{ label: 'Copy ID', onSelect: () => copyId(id) }] : []),
      { label: 'View JSON', onSelect: () => setOpen(true) },
      ...(request
        ? LANGUAGES.map((language) => ({
            label: `Copy as ${language}`,
            onSelect: () =>
              copy(codeOf(request, language), () => toasts.add({ title: `${language} copied. Set KEY to your key` })),
          }))
        : []),
    ],
    dialog: (
      <Modal title="JSON" form="drawer" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Snippet label="JSON" code={JSON.stringify(json, undefined, 2)} />
      </Modal>
    ),
  };
}

/** Menu of a detail: rare actions, its ID and its JSON. */
export function DetailMenu({ entries = [], ...of }: DetailOf & { entries?: (MenuEntry | false)[] }) {
  const { entries: common, dialog } = useDetailEntries(of);
  return (
    <>
      <ActionMenu
        trigger={
          <IconButton label="More actions" look="plain">
            <DotsHorizontalIcon />
          </IconButton>
        }
        entries={[...common, ...entries]}
      />
      {dialog}
    </>
  );
}
