import type { Column } from './records';
import { Time } from './status';

type Options<T> = Partial<Omit<Column<T>, 'word' | 'cell'>>;

/** A column of a text, whole on hover. `isMuted` if it is of second rank. */
export const textColumn = <T,>(
  word: string,
  textOf: (item: T) => string | null | undefined,
  { isMuted = false, ...options }: Options<T> & { isMuted?: boolean } = {},
): Column<T> => ({
  word,
  sortBy: (item) => textOf(item) ?? '',
  cell: (item) => (
    <span className={isMuted ? 'truncate muted' : 'truncate'} title={textOf(item) ?? undefined}>
      {textOf(item)}
    </span>
  ),
  ...options,
});

/** A column of a time, with a word for none. */
export const timeColumn = <T,>(
  word: string,
  timeOf: (item: T) => string | null | undefined,
  { none, ...options }: Options<T> & { none?: string } = {},
): Column<T> => ({
  word,
  width: 96,
  isNumber: true,
  sortBy: (item) => timeOf(item) ?? '',
  cell: (item) => {
    const at = timeOf(item);
    return at ? <Time at={at} /> : none && <span className="muted small">{none}</span>;
  },
  ...options,
});
