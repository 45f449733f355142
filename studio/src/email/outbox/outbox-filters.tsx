import { type Filter, FilterBar } from '../../ui/filter-bar';
import type { Listing } from '../../ui/list-page';
import { SHORTEST_PART } from '../../ui/use-search';
import type { OutboxFilter, Row } from '../mails';
import { MAIL_WORDS, SCHEDULED } from '../words';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WAITING = 'scheduled';

/** Returns whether the search text is too short. */
export const isBegun = (text: string | undefined): boolean => text !== undefined && text.length < SHORTEST_PART;

export const isFiltered = (filter: OutboxFilter): boolean => Object.values(filter).some(Boolean);

const SEARCH = {
  name: 'contains',
  label: 'Recipient, subject or ID',
  read: ({ id, contains }: Readonly<Record<string, string>>) => id ?? contains,
  write: (text: string) => {
    const sought = text.trim() || undefined;
    return sought && ID.test(sought) ? { id: sought.toLowerCase(), contains: undefined } : { id: undefined, contains: sought };
  },
};

const FILTERS: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    also: [WAITING],
    word: 'Status',
    values: [...Object.entries(MAIL_WORDS).map(([status, { word }]) => [status, word] as const), [WAITING, SCHEDULED.word]],
    read: ({ status, scheduled }) => (scheduled ? WAITING : status),
    write: (value) => (value === WAITING ? { scheduled: 'true', status: undefined } : { scheduled: undefined, status: value }),
  },
  { kind: 'time', word: 'Time', from: 'from', to: 'until' },
  { kind: 'text', name: 'tag', word: 'Tag', hint: 'Exact tag name. Case-sensitive.' },
  { kind: 'text', name: 'tagValue', word: 'Tag value', hint: 'Exact tag value. Case-sensitive.' },
];

/** Recipient or id, state, time and tag of the mails to show. */
export const OutboxFilters = ({ list }: { list: Listing<Row> }) => (
  <FilterBar search={SEARCH} filters={FILTERS} list={list} counted={['email', 'emails']} />
);
