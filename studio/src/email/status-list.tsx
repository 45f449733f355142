import { timeColumn } from '../ui/columns';
import type { Filter } from '../ui/filter-bar';
import { InheritedMark } from '../ui/inherited';
import type { Column } from '../ui/records';
import { Reason, Status, type StatusKind } from '../ui/status';

type Word = { kind: StatusKind; word: string };

/** Filter of a list by the status of its items. */
export const statusFilter = (words: Readonly<Record<string, Word>>): Filter => ({
  kind: 'choice',
  name: 'status',
  word: 'Status',
  values: Object.entries(words).map(([one, { word }]) => [one, word]),
});

export const hasStatus = (item: { status: string | null }, { status }: Readonly<Record<string, string>>): boolean =>
  !status || item.status === status;

interface Named<T> {
  /** Names of the items, and of their time. */
  word: string;
  time: string;
  nameOf: (item: T) => string;
  isInherited?: (item: T) => boolean;
  statusOf: (item: T) => Word | undefined;
  /** Reason of a problem. */
  reasonOf: (item: T) => string | undefined;
  timeOf: (item: T) => string | null;
}

/** The columns of addresses and domains. */
export const statusColumns = <T,>({
  word,
  time,
  nameOf,
  isInherited,
  statusOf,
  reasonOf,
  timeOf,
}: Named<T>): readonly Column<T>[] => [
  {
    word: 'Status',
    width: 96,
    line: 'state',
    sortBy: (item) => statusOf(item)?.word ?? '',
    cell: (item) => {
      const status = statusOf(item);
      return status && <Status {...status} />;
    },
  },
  {
    word,
    line: 'who',
    sortBy: nameOf,
    cell: (item) => (
      <>
        <span className="truncate" title={nameOf(item)}>
          {nameOf(item)}
        </span>
        {isInherited?.(item) && <InheritedMark />}
        <Reason kind={statusOf(item)?.kind} text={reasonOf(item)} isInline />
      </>
    ),
  },
  {
    word: 'Reason',
    room: 'widest',
    line: 'what',
    sortBy: (item) => reasonOf(item) ?? '',
    cell: (item) => <Reason kind={statusOf(item)?.kind} text={reasonOf(item)} />,
  },
  timeColumn(time, timeOf, { line: 'when' }),
];
