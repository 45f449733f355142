import { CheckIcon } from '@radix-ui/react-icons';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button, type MenuEntry } from './controls';
import { Heads, placeOf, useSorted } from './record-heads';
import { RowActions } from './row-actions';
import { Skeleton } from './states';

/** A column of a list. */
export interface Column<T> {
  /** Its head. */
  word: string;
  cell: (item: T) => ReactNode;
  /** In pixels; without it the column shares what is left. */
  width?: number;
  /** How much of that, beside 1 of others. */
  share?: number;
  /**
   * The list that it needs: columns that need more room leave first where there is less. What tells rows apart never leaves: in a narrow list
   * it goes to a second line.
   */
  room?: 'second-line' | 'medium' | 'wide' | 'widest';
  isNumber?: boolean;
  /** What a list is sorted by that is there as a whole. Times begin with the newest. */
  sortBy?: (item: T) => string | number;
  /** The directions in which the page asks the service for this order, so that also a part of the list is in it. */
  served?: 'up' | 'down' | 'both';
}

export interface RecordsProps<T> {
  /** Names the list for screen readers. */
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** The address of an item, relative to /studio. */
  hrefOf: (item: T) => string;
  /** The key of the item that is open. */
  openKey?: string | undefined;
  columns: readonly Column<T>[];
  hasMore?: boolean;
  onMore?: () => void;
  isLoading?: boolean;
  empty: ReactNode;
  /** How many records arrived since the list was read; they appear when asked for, so that nothing moves by itself. */
  newCount?: number;
  onShowNew?: (() => void) | undefined;
  /** Lets several be chosen: by the box in front, with Shift up to there, by the space bar and Shift with arrows. */
  choice?: Choice<T> | undefined;
  /** What can be done with an item from its row: a menu that shows by the pointer, and in the row that arrows reached. */
  actionsOf?: ((item: T) => readonly (MenuEntry | false)[]) | undefined;
}

/** The choice of several items of a list. */
interface Choice<T> {
  isChosen: (key: string) => boolean;
  /** False for what cannot be chosen, such as a folder. */
  mayChoose: (item: T) => boolean;
  /** Chooses one or no longer; as a range, also all between it and the one before. */
  toggle: (key: string, isRange: boolean) => void;
  /** The box that chooses all, in the head. */
  all: ReactNode;
  /** Actions on what is chosen, in place of the heads; undefined while nothing is. */
  actions: ReactNode;
}

/** The height of every row of every list, whether anything is open or not, and that of the heads. */
const ROW_HEIGHT = 40;
const HEAD_HEIGHT = 32;
const OVERSCAN = 8;
const NEAR_END = 20;

/** A list of any length. Only the rows in sight exist; more pages are read as the end comes near. Arrows move in it, Enter opens. */
export function Records<T>(props: RecordsProps<T>) {
  const { label, items, hasMore = false, isLoading = false, empty } = props;
  if (items.length > 0) return <Table {...props} />;
  if (!isLoading && !hasMore) return empty;
  return (
    <div className="page-body">
      <Skeleton lines={8} label={`Loading ${label.toLowerCase()}`} />
    </div>
  );
}

function Table<T>({ hasMore = false, isLoading = false, onMore, newCount = 0, onShowNew, ...props }: RecordsProps<T>) {
  const { label, keyOf, hrefOf, openKey, columns, choice, actionsOf } = props;
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [, navigate] = useLocation();
  const { items, ...sorting } = useSorted(props.items, columns, !hasMore);
  // oxlint-disable-next-line react/incompatible-library -- what it returns is used here alone
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
  });
  const openAt = openKey === undefined ? -1 : items.findIndex((item) => keyOf(item) === openKey);
  const [active, setActive] = useState(0);
  useEffect(() => {
    if (openAt < 0) return;
    // What opens narrows the list, and must not push its own row out of sight.
    setActive(openAt);
    rows.scrollToIndex(openAt, { align: 'auto' });
  }, [rows, openAt]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= items.length - NEAR_END) onMore?.();
  }, [hasMore, isLoading, last, items.length, onMore]);
  const at = Math.min(active, items.length - 1);
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft' && (event.target as Element).closest('.row-actions')) box.current?.focus();
    if (event.target !== event.currentTarget) return; // a head, a box or a menu
    if (event.key === 'ArrowRight') box.current?.querySelector<HTMLElement>('.record.active .row-actions button')?.focus();
    if (event.key === ' ' && choice) {
      event.preventDefault();
      choice.toggle(keyOf(items[at]!), false);
    }
    if (event.key === 'Enter') navigate(hrefOf(items[at]!));
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -items.length, End: items.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(items.length - 1, at + step));
    setActive(next);
    rows.scrollToIndex(next);
    if (event.shiftKey) choice?.toggle(keyOf(items[next]!), true);
    else if (openAt >= 0 && next !== at) navigate(hrefOf(items[next]!)); // what is open moves along
  };
  return (
    <div className="records-frame">
      {newCount > 0 && (
        <div className="new-records">
          <Button size="small" look="primary" onClick={onShowNew}>
            {newCount} new
          </Button>
        </div>
      )}
      <div
        ref={box}
        className="records"
        role="grid"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : items.length + 1}
        aria-multiselectable={choice ? true : undefined}
        aria-activedescendant={shown.some(({ index }) => index === at) ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={press}
      >
        <Heads columns={columns} choice={choice} {...sorting} />
        <div role="rowgroup" className="records-room" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const item = items[index]!;
            const key = keyOf(item);
            return (
              <Row
                key={key}
                id={`${id}-${index}`}
                item={item}
                href={hrefOf(item)}
                recordKey={key}
                isOpen={key === openKey}
                isActive={index === at}
                start={start - HEAD_HEIGHT}
                columns={columns}
                choice={choice}
                actionsOf={actionsOf}
                onActive={() => setActive(index)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps<T> extends Pick<RecordsProps<T>, 'columns' | 'choice' | 'actionsOf'> {
  id: string;
  item: T;
  href: string;
  recordKey: string;
  isOpen: boolean;
  isActive: boolean;
  start: number;
  onActive: () => void;
}

function Row<T>({ id, item, href, recordKey, isOpen, isActive, start, columns, choice, actionsOf, onActive }: RowProps<T>) {
  // The menu is made once it can be seen: a list has many rows, and few are used.
  const [isNear, setNear] = useState(false);
  const actions = isNear || isActive ? actionsOf?.(item) : undefined;
  const isChosen = choice?.isChosen(recordKey) ?? false;
  const mayChoose = choice?.mayChoose(item) ?? false;
  /** Chooses instead of opening. */
  const choose = (event: MouseEvent) => {
    const isRange = event.shiftKey;
    if (!choice || !(isRange || (event.target as Element).closest('[data-choose]'))) return;
    event.preventDefault();
    onActive();
    choice.toggle(recordKey, isRange);
  };
  return (
    <Link
      id={id}
      href={href}
      role="row"
      aria-selected={choice ? isChosen : isOpen}
      aria-current={choice && isOpen ? 'true' : undefined}
      tabIndex={-1}
      className={isActive ? 'record active' : 'record'}
      onClickCapture={choose}
      onClick={onActive}
      onPointerEnter={() => setNear(true)}
      style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
    >
      {choice && (
        // For the eye and the pointer; the row itself says that it is chosen.
        <span className="record-box" data-choose={mayChoose || undefined} aria-hidden>
          {mayChoose && <span className={isChosen ? 'box chosen' : 'box'}>{isChosen && <CheckIcon />}</span>}
        </span>
      )}
      {columns.map((column) => (
        <span key={column.word} role="gridcell" {...placeOf(column)}>
          {column.cell(item)}
        </span>
      ))}
      {actions && actions.length > 0 && <RowActions entries={actions} isActive={isActive} />}
    </Link>
  );
}
