import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { ActionMenu, IconButton, type MenuEntry, Modal } from './controls';
import { copyId, Snippet } from './copy';

export interface DetailOf {
  id?: string | undefined;
  /** JSON of the API; undefined while loading. */
  json: unknown;
}

/** Entries of every detail's menu, with their dialog. */
export function useDetailEntries({ id, json }: DetailOf): { entries: MenuEntry[]; dialog: ReactNode } {
  const [isOpen, setOpen] = useState(false);
  return {
    entries: [
      ...(id ? [{ label: 'Copy ID', onSelect: () => copyId(id) }] : []),
      { label: 'View JSON', onSelect: () => setOpen(true) },
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
