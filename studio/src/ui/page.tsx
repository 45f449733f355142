import { Cross2Icon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useId, useRef, useSyncExternalStore } from 'react';
import { Hint, IconButton } from './controls';
import { DetailMenu, type DetailOf } from './detail-menu';
import { formatCount, formatRelative } from './format';
import { useShortcut } from './shortcuts';
import { live } from '../api/live';
import { useNow } from './use-now';

interface HeadProps {
  /** Title of the window. */
  title: string;
  /** Heading, if it is that of several views. */
  shown?: string;
  count?: number | undefined;
  /** Content beside the heading, such as tabs. */
  children?: ReactNode;
  actions?: ReactNode;
}

/** Header of every page: title, count, and the main action. */
export function PageHead({ title, shown = title, count, children, actions }: HeadProps) {
  useEffect(() => {
    document.title = [...new Set([title, shown, 'Studio'])].join(' · ');
  }, [title, shown]);
  return (
    <header className="page-head">
      <h1>{shown}</h1>
      {count !== undefined && <span className="count">{formatCount(count)}</span>}
      {children}
      <Updated />
      {actions && <div className="actions">{actions}</div>}
    </header>
  );
}

interface FilterProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Focused by `/`. */
  isMain?: boolean;
  /** Suggested values. */
  known?: readonly string[] | undefined;
}

/** A text filter, applied a moment after the last key. */
export function FilterField({ label, value, onChange, isMain = false, known }: FilterProps) {
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useShortcut('/', isMain ? () => field.current?.focus() : undefined);
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next), 200);
  };
  return (
    <>
      <input
        ref={field}
        className="input"
        type="search"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        list={known && list}
        onChange={({ target }) => change(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      {known && (
        <datalist id={list}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A toggle filter. */
export function Chip({ isActive, onClick, children }: { isActive: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={isActive ? 'chip active' : 'chip'} aria-pressed={isActive} onClick={onClick}>
      {children}
    </button>
  );
}

/** A list with the chosen item; on a phone, only the chosen item. In a wide window, with what leads through the list. */
export function Split({ list, detail, aside }: { list: ReactNode; detail?: ReactNode; aside?: ReactNode }) {
  return (
    <div className={['split', detail && 'open', aside && 'with-aside'].filter(Boolean).join(' ')}>
      {aside && <div className="aside">{aside}</div>}
      <div className="list">{list}</div>
      {detail && <div className="detail">{detail}</div>}
    </div>
  );
}

interface DetailProps {
  title: string;
  onClose: () => void;
  actions?: ReactNode;
  /** For the menu that every detail has, unless its actions bring it. */
  of?: DetailOf;
  children: ReactNode;
}

/** The chosen item of a list: its name first, then its actions. Escape closes it. */
export function Detail({ title, onClose, actions, of, children }: DetailProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useShortcut('Escape', onClose);
  useEffect(() => {
    const ofPage = document.title;
    document.title = `${title} · ${ofPage}`;
    // A narrow window hides the list, which would lose the focus.
    if (matchMedia('(max-width: 900px)').matches) heading.current?.focus();
    return () => void (document.title = ofPage);
  }, [title]);
  return (
    <section aria-label={title}>
      <div className="detail-head">
        <h2 ref={heading} tabIndex={-1} title={title}>
          {title}
        </h2>
        {actions && <span className="detail-actions">{actions}</span>}
        {of && <DetailMenu {...of} />}
        <IconButton label="Close" look="plain" onClick={onClose}>
          <Cross2Icon />
        </IconButton>
      </div>
      <div className="detail-body">{children}</div>
    </section>
  );
}

/** Two parts of a detail: side by side in a wide window, else the first above the second. */
export const Sides = ({ first, second }: { first: ReactNode; second: ReactNode }) => (
  <div className="sides">
    <div>{first}</div>
    <div>{second}</div>
  </div>
);

/** Names and values of an object. Undefined values are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value ?? <span className="muted">none</span>}</dd>
          </div>
        ))}
    </dl>
  );
}

const STEP_MS = 10_000;

/** Age of the data of a page, which is updated now on request. */
function Updated() {
  const queries = useQueryClient();
  const subscribe = useCallback((listener: () => void) => queries.getQueryCache().subscribe(listener), [queries]);
  const at = useSyncExternalStore(subscribe, live.readUpdatedAt);
  const isLive = useSyncExternalStore(subscribe, live.isFollowing);
  const now = useNow(STEP_MS);
  if (at === undefined) return null;
  const age = formatRelative(new Date(at), Math.max(at, now));
  return (
    <Hint text="Update now">
      <button
        type="button"
        className={isLive ? 'updated live' : 'updated'}
        aria-label={`${isLive ? 'Live' : `Updated ${age}`}. Update now`}
        onClick={() => void live.update()}
      >
        {isLive ? (
          'Live'
        ) : (
          <>
            <span className="word">Updated </span>
            {age}
          </>
        )}
      </button>
    </Hint>
  );
}
