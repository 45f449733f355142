import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { type MouseEvent, useState } from 'react';
import { ActionMenu, IconButton, type MenuEntry } from './controls';

interface RowActionsProps {
  entries: readonly (MenuEntry | false)[];
  /** Whether the tab key reaches it too: in the row that arrows have reached. */
  isActive: boolean;
}

/** Keeps a click in the menu, which is part of the row for React, from opening the row. */
const keep = (event: MouseEvent) => {
  event.preventDefault();
  event.stopPropagation();
};

/**
 * The menu of a row. It shows where the pointer or the focus is, and takes no room of the cells. In the list the right arrow leads to that of
 * the row which up and down have reached, and the left arrow back.
 */
export function RowActions({ entries, isActive }: RowActionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span role="gridcell" className={isOpen ? 'row-actions open' : 'row-actions'} onClick={keep}>
      <ActionMenu
        onOpenChange={setOpen}
        trigger={
          <IconButton label="Actions" size="small" tabIndex={isActive ? 0 : -1}>
            <DotsHorizontalIcon />
          </IconButton>
        }
        entries={[...entries]}
      />
    </span>
  );
}
