import { CheckIcon } from '@radix-ui/react-icons';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Button } from './controls';
import { Skeleton } from './states';

interface RecordsProps<T> {
  /** Names the list for screen readers. */
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** The address of an item, relative to /studio. */
  hrefOf: (item: T) => string;
  /** The key of the item that is open. */
  openKey?: string | undefined;
  rowHeight?: number;
  children: (item: T) => ReactNode;
  hasMore?: boolean;
  onMore?: () => void;
  isLoading?: boolean;
  empty: ReactNode;
  /** How many records arrived since the list was read; they appear when asked for, so that nothing moves by itself. */
  newCount?: number;
  onShowNew?: () => void;
  /** Lets several be chosen: by the box in front (`RecordBox`), with Shift up to there, by the space bar and Shift with arrows. */
  choice?: Choice | undefined;
}

/** The choice of several items of a list. */
export interface Choice {
  isChosen: (key: string) => boolean;
  /** Chooses one or no longer; as a range, also all between it and the one before. */
  toggle: (key: string, isRange: boolean) => void;
}

/** The box at the beginning of a record that can be chosen. It is for the eye and the pointer; the record itself says that it is chosen. */
export function RecordBox({ isChosen }: { isChosen: boolean }) {
  return (
    <span className="record-box" data-choose aria-hidden>
      <span className={isChosen ? 'box chosen' : 'box'}>{isChosen && <CheckIcon />}</span>
    </span>
  );
}

const ROW_HEIGHT = 40;
const OVERSCAN = 8;
const NEAR_END = 20;

/** A list of any length. Only the rows in sight exist; more pages are read as the end comes near. Arrows move in it, Enter opens. */
export function Records<T>({
  label,
  items,
  keyOf,
  hrefOf,
  openKey,
  rowHeight = ROW_HEIGHT,
  children,
  hasMore = false,
  onMore,
  isLoading = false,
  empty,
  newCount = 0,
  onShowNew,
  choice,
}: RecordsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [active, setActive] = useState(0);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  });
  useOpenInView(rows, openKey === undefined ? -1 : items.findIndex((item) => keyOf(item) === openKey));
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= items.length - NEAR_END) onMore?.();
  }, [hasMore, isLoading, last, items.length, onMore]);
  if (items.length === 0) {
    if (isLoading || hasMore) {
      return (
        <div className="page-body">
          <Skeleton lines={8} label={`Loading ${label.toLowerCase()}`} />
        </div>
      );
    }
    return empty;
  }
  const at = Math.min(active, items.length - 1);
  const press = (event: KeyboardEvent) => {
    if (event.key === ' ' && choice) {
      event.preventDefault();
      choice.toggle(keyOf(items[at]!), false);
    }
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -items.length, End: items.length }[event.key];
    if (event.key === 'Enter') box.current?.querySelector<HTMLElement>(`[id="${id}-${at}"]`)?.click();
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(items.length - 1, at + step));
    setActive(next);
    rows.scrollToIndex(next);
    if (event.shiftKey) choice?.toggle(keyOf(items[next]!), true);
  };
  /** Chooses instead of opening. */
  const choose = (event: MouseEvent, key: string, index: number) => {
    const isRange = event.shiftKey;
    if (!choice || !(isRange || (event.target as Element).closest('[data-choose]'))) return;
    event.preventDefault();
    setActive(index);
    choice.toggle(key, isRange);
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
        role="listbox"
        aria-label={label}
        aria-multiselectable={choice ? true : undefined}
        aria-activedescendant={shown.some(({ index }) => index === at) ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={press}
      >
        <div role="presentation" className="records-room" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const item = items[index]!;
            const key = keyOf(item);
            return (
              <Link
                key={key}
                id={`${id}-${index}`}
                href={hrefOf(item)}
                role="option"
                aria-selected={choice ? choice.isChosen(key) : key === openKey}
                aria-current={choice && key === openKey ? 'true' : undefined}
                tabIndex={-1}
                className={index === at ? 'record active' : 'record'}
                onClickCapture={(event) => choose(event, key, index)}
                onClick={() => setActive(index)}
                style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              >
                {children(item)}
              </Link>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Keeps the open row in sight: what opens takes room from the list, and must not push its own row out. */
function useOpenInView(rows: { scrollToIndex: (index: number, options: { align: 'auto' }) => void }, openAt: number): void {
  useEffect(() => {
    if (openAt >= 0) rows.scrollToIndex(openAt, { align: 'auto' });
  }, [rows, openAt]);
}
