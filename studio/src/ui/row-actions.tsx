import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { type MouseEvent, useState } from 'react';
import { ActionMenu, IconButton, type MenuEntry } from './controls';

interface RowActionsProps {
  entries: readonly (MenuEntry | false)[];
  /** Whether it is in the tab order: only in the current row. */
  isActive: boolean;
}

/** Keeps a click in the menu, which is part of the row for React, from opening the row. */
const keep = (event: MouseEvent) => {
  event.preventDefault();
  event.stopPropagation();
};

/**
 * Menu of a row, shown on hover and focus, without space of its own. The right arrow leads from the current row to it, the left arrow
 * back.
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
