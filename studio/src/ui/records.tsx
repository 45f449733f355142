import { CheckIcon } from '@radix-ui/react-icons';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Link, useLocation } from 'wouter';
import { Button, type MenuEntry } from './controls';
import { Heads, placeOf, useSorted } from './record-heads';
import { RowActions } from './row-actions';
import { Skeleton } from './states';
import { useIsNarrow } from './use-layout';

/** A column of a list. */
export interface Column<T> {
  /** Header. */
  word: string;
  cell: (item: T) => ReactNode;
  /** Width in pixels; without it the column shares the rest. */
  width?: number;
  /** Share of the rest; 1 by default. */
  share?: number;
  /** Minimum width of the list: columns that need more are hidden first. */
  room?: 'medium' | 'wide' | 'widest' | 'huge' | undefined;
  /**
   * Place in the two lines that a row has in a narrow list: who and when, then the state, what, and by whom. Columns without one are hidden there.
   */
  line?: 'who' | 'when' | 'state' | 'what' | 'by';
  /** Wraps there in place of being cut, since it tells rows apart. */
  wraps?: boolean;
  isNumber?: boolean;
  /** Sort value of a fully loaded list. Times start with the newest. */
  sortBy?: (item: T) => string | number;
  /** Directions that the service can sort by, even for a partially loaded list. */
  served?: 'up' | 'down' | 'both';
}

export interface RecordsProps<T> {
  /** Label for screen readers. */
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Path of an item, relative to /studio. */
  hrefOf: (item: T) => string;
  /** Key of the open item. */
  openKey?: string | undefined;
  columns: readonly Column<T>[];
  hasMore?: boolean;
  onMore?: () => void;
  isLoading?: boolean;
  empty: ReactNode;
  /** Number of new records; they are shown on request, so that nothing moves. */
  newCount?: number;
  onShowNew?: (() => void) | undefined;
  /** Enables selection: by checkbox, with Shift for ranges, by space and Shift with arrows. */
  choice?: Choice<T> | undefined;
  /** Actions on an item in its row: a menu shown on hover, and in the current row. */
  actionsOf?: ((item: T) => readonly (MenuEntry | false)[]) | undefined;
  /** Lets rows be dragged onto others. */
  drag?: Drag<T> | undefined;
}

interface Drag<T> {
  start: (item: T, event: DragEvent) => void;
  isTarget: (item: T, event: DragEvent) => boolean;
  drop: (item: T, event: DragEvent) => void;
}

/** Selection of several items of a list. */
interface Choice<T> {
  isChosen: (key: string) => boolean;
  /** False for items that cannot be selected, such as a folder. */
  mayChoose: (item: T) => boolean;
  /** Toggles one; as a range, all since the last one. */
  toggle: (key: string, isRange: boolean) => void;
  /** Checkbox in the header that selects all. */
  all: ReactNode;
  /** Actions on the selection, instead of the headers; undefined if it is empty. */
  actions: ReactNode;
}

/** Height of every row, in one line or two, and of the header. */
const ROW_HEIGHT = 40;
const LINES_HEIGHT = 56;
const HEAD_HEIGHT = 32;
const OVERSCAN = 8;
const NEAR_END = 20;

/** A virtual list. More pages are loaded near the end. Arrows move in it, Enter opens. */
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
  const { label, keyOf, hrefOf, openKey, columns, choice, actionsOf, drag } = props;
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [, navigate] = useLocation();
  const { items, ...sorting } = useSorted(props.items, columns, !hasMore);
  const isTwoLines = useIsNarrow(box) && columns.some(({ line }) => line);
  const wraps = isTwoLines && columns.some((column) => column.wraps);
  const rowHeight = isTwoLines ? LINES_HEIGHT : ROW_HEIGHT;
  // oxlint-disable-next-line react/incompatible-library -- what it returns is used here alone
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
  });
  useLayoutEffect(() => rows.measure(), [rows, rowHeight]);
  const openAt = openKey === undefined ? -1 : items.findIndex((item) => keyOf(item) === openKey);
  const [active, setActive] = useState(0);
  useEffect(() => {
    if (openAt < 0) return;
    // Opening an item narrows the list, and must not scroll its row out of view.
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
    else if (openAt >= 0 && next !== at) navigate(hrefOf(items[next]!), { replace: true }); // what is open moves along
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
        className={['records', isTwoLines && 'two-lines', actionsOf && 'has-actions'].filter(Boolean).join(' ')}
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
                index={index}
                measure={wraps ? rows.measureElement : undefined}
                item={item}
                href={hrefOf(item)}
                recordKey={key}
                isOpen={key === openKey}
                isActive={index === at}
                start={start - HEAD_HEIGHT}
                height={rowHeight}
                columns={columns}
                choice={choice}
                actionsOf={actionsOf}
                drag={drag}
                onActive={() => setActive(index)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps<T> extends Pick<RecordsProps<T>, 'columns' | 'choice' | 'actionsOf' | 'drag'> {
  id: string;
  index: number;
  /** Measures a row whose texts wrap. */
  measure: Ref<HTMLDivElement> | undefined;
  item: T;
  href: string;
  recordKey: string;
  isOpen: boolean;
  isActive: boolean;
  start: number;
  height: number;
  onActive: () => void;
}

function Row<T>(props: RowProps<T>) {
  const { id, index, measure, item, href, recordKey, isOpen, isActive, start, height, columns, choice, actionsOf, drag } = props;
  // The menu is created once visible: a list has many rows, and few are used.
  const [isNear, setNear] = useState(false);
  const [isOver, setOver] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  const actions = isNear || isActive ? actionsOf?.(item) : undefined;
  const isChosen = choice?.isChosen(recordKey) ?? false;
  const mayChoose = choice?.mayChoose(item) ?? false;
  /** Chooses instead of opening. */
  const choose = (event: MouseEvent) => {
    const isRange = event.shiftKey;
    if (!choice || !(isRange || (event.target as Element).closest('[data-choose]'))) return;
    event.preventDefault();
    props.onActive();
    choice.toggle(recordKey, isRange);
  };
  /** Follows the link from all that lies above it, with the keys that are held. */
  const open = (event: MouseEvent) => {
    props.onActive();
    if (event.defaultPrevented || link.current!.contains(event.target as Element)) return;
    link.current!.dispatchEvent(new globalThis.MouseEvent('click', event.nativeEvent));
  };
  return (
    <div
      ref={measure}
      id={id}
      data-index={index}
      role="row"
      aria-selected={choice ? isChosen : isOpen}
      aria-current={choice && isOpen ? 'true' : undefined}
      className={['record', isActive && 'active', isOver && 'over'].filter(Boolean).join(' ')}
      draggable={drag ? true : undefined}
      onDragStart={(event) => drag?.start(item, event)}
      onDragOver={(event) => {
        if (!drag?.isTarget(item, event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        drag?.drop(item, event);
      }}
      onClickCapture={choose}
      onClick={open}
      onPointerEnter={() => setNear(true)}
      style={{ [measure ? 'minHeight' : 'height']: height, transform: `translateY(${start}px)` }}
    >
      {choice && (
        // For mouse users; the row itself announces its selection.
        <span className="record-box" data-choose={mayChoose || undefined} aria-hidden>
          {mayChoose && <span className={isChosen ? 'box chosen' : 'box'}>{isChosen && <CheckIcon />}</span>}
        </span>
      )}
      {columns.map((column, at) => (
        <span key={column.word} role="gridcell" {...placeOf(column)}>
          {at > 0 ? (
            column.cell(item)
          ) : (
            <Link ref={link} href={href} className="record-link" tabIndex={-1} draggable={false}>
              {column.cell(item)}
            </Link>
          )}
        </span>
      ))}
      {actions && actions.length > 0 && <RowActions entries={actions} isActive={isActive} />}
    </div>
  );
}
