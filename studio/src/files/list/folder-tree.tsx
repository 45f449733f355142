import { ChevronRightIcon } from '@radix-ui/react-icons';
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { Button } from '../../ui/controls';
import { Skeleton } from '../../ui/states';
import { shownName } from '../model/file-record';
import { useFoldersIn } from '../model/queries';
import { FolderIcon } from './kind-icon';
import { type Dragged, draggedIn, mayDropOn } from './dragged';
import styles from '../files.module.css';

interface TreeProps {
  /** Prefix of the selected folder; empty for the top. */
  value: string;
  onChoose: (prefix: string) => void;
  /** Moves dropped files or a folder; without it nothing can be dropped. */
  onDrop?: ((dragged: Dragged, to: string) => void) | undefined;
}

/** All folders as a tree, each level read when it is expanded. Arrows move in it, Enter selects. */
export function FolderTree({ value, onChoose, onDrop }: TreeProps) {
  const [focused, setFocused] = useState(value);
  const all = { value, focused, onChoose, onDrop, onFocus: setFocused };
  return (
    <ul role="tree" aria-label="Folder tree" className={styles.tree}>
      <Folder {...all} prefix="" name="All files" level={1} />
    </ul>
  );
}

interface FolderProps extends TreeProps {
  prefix: string;
  name: string;
  level: number;
  /** Prefix of the folder that Tab reaches. */
  focused: string;
  onFocus: (prefix: string) => void;
}

function Folder(props: FolderProps) {
  const { value, prefix, name, level, focused, onChoose, onDrop, onFocus } = props;
  const [isOpen, setOpen] = useState(value.startsWith(prefix));
  const [isOver, setOver] = useState(false);
  const { items, hasMore, isPending, readMore } = useFoldersIn(prefix, isOpen);
  const isLeaf = isOpen && !isPending && items.length === 0;
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const own = event.currentTarget;
    const visible = [...own.closest('[role="tree"]')!.querySelectorAll<HTMLElement>('[role="treeitem"]')];
    const step = (by: number) => visible[visible.indexOf(own) + by]?.focus();
    const actions: Record<string, () => void> = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      Home: () => visible[0]?.focus(),
      End: () => visible.at(-1)?.focus(),
      ArrowRight: () => (isOpen ? !isLeaf && step(1) : setOpen(true)),
      ArrowLeft: () =>
        isOpen && !isLeaf && level > 1
          ? setOpen(false)
          : own.closest('ul')?.parentElement?.querySelector<HTMLElement>('[role="treeitem"]')?.focus(),
      Enter: () => onChoose(prefix),
      ' ': () => onChoose(prefix),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const drag = onDrop && {
    onDragOver: (event: DragEvent) => {
      event.stopPropagation();
      if (!mayDropOn(event, prefix)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      const dragged = draggedIn(event);
      if (dragged) onDrop(dragged, prefix);
    },
  };
  return (
    <li role="none">
      <div
        role="treeitem"
        aria-level={level}
        aria-expanded={isLeaf ? undefined : isOpen}
        aria-selected={prefix === value}
        tabIndex={prefix === focused ? 0 : -1}
        className={isOver ? `${styles.treeRow} ${styles.over}` : styles.treeRow}
        onFocus={() => onFocus(prefix)}
        onKeyDown={press}
        onClick={() => onChoose(prefix)}
        {...drag}
      >
        <span
          className={isLeaf || level === 1 ? styles.leaf : styles.turn}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            setOpen(!isOpen);
          }}
        >
          <ChevronRightIcon />
        </span>
        <FolderIcon />
        <span className={`truncate ${styles.isolated}`}>{shownName(name)}</span>
      </div>
      {isOpen && !isLeaf && (
        <ul role="group">
          {isPending && (
            <li role="none">
              <Skeleton lines={2} label="Loading folders" />
            </li>
          )}
          {items.map((one) => (
            <Folder
              {...props}
              key={one.prefix}
              prefix={one.prefix ?? ''}
              name={(one.name ?? '').slice(0, -1)}
              level={level + 1}
            />
          ))}
          {hasMore && (
            <li role="none">
              <Button size="small" look="plain" onClick={readMore}>
                Show more folders
              </Button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}
