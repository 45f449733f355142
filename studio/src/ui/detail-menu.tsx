import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { ActionMenu, IconButton, type MenuEntry, Modal } from './controls';
import { copyId, Snippet } from './copy';

export interface DetailOf {
  id?: string | undefined;
  /** What the API says of it; undefined while it is not read. */
  json: unknown;
}

/** Entries that the menu of every detail has, and the dialog that one of them opens. */
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

/** The menu of a detail: seldom needed actions of its own, its ID and its JSON. */
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
