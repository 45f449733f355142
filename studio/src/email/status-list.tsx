import { FilterBar } from '../ui/filter-bar';
import type { Listing } from '../ui/list-page';
import type { Column } from '../ui/records';
import { Reason, Status, type StatusKind, Time } from '../ui/status';

type Word = { kind: StatusKind; word: string };

interface FiltersProps {
  words: Readonly<Record<string, Word>>;
  name: string;
  label: string;
  list: Listing<unknown>;
  counted: readonly [string, string];
}

/** Filters of a list by the name and the status of its items. */
export const StatusFilters = ({ words, name, label, list, counted }: FiltersProps) => (
  <FilterBar
    search={{ name, label }}
    filters={[
      { kind: 'choice', name: 'status', word: 'Status', values: Object.entries(words).map(([one, { word }]) => [one, word]) },
    ]}
    list={list}
    counted={counted}
  />
);

interface Named<T> {
  /** Names of the items, and of their time. */
  word: string;
  time: string;
  nameOf: (item: T) => string;
  statusOf: (item: T) => Word | undefined;
  /** Reason of a problem. */
  reasonOf: (item: T) => string | undefined;
  timeOf: (item: T) => string | null;
}

/** The columns of addresses and domains. */
export const statusColumns = <T,>({ word, time, nameOf, statusOf, reasonOf, timeOf }: Named<T>): readonly Column<T>[] => [
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
  {
    word: time,
    width: 96,
    line: 'when',
    isNumber: true,
    sortBy: (item) => timeOf(item) ?? '',
    cell: (item) => {
      const at = timeOf(item);
      return at && <Time at={at} />;
    },
  },
];
