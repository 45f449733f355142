import type { LogOrder, LogsFilter } from '../../../../clients/js/src/generated/log';
import { formatTime } from '../../ui/format';

export type TextFilter = 'documentType' | 'attributeId' | 'authorId' | 'action' | 'custom1' | 'custom2' | 'id';

/** The filters that are chips, with the word on the chip and what to enter. */
export const TEXT_FILTERS: readonly { name: TextFilter; word: string; hint: string }[] = [
  { name: 'documentType', word: 'Type', hint: 'The whole type of the document, such as invoice. Upper and lower case differ.' },
  { name: 'attributeId', word: 'Attribute', hint: 'The id of the attribute, such as status.' },
  { name: 'authorId', word: 'Person', hint: 'The id of the author, such as u-102.' },
  { name: 'action', word: 'Action', hint: 'The whole action, such as update. Upper and lower case differ.' },
  { name: 'custom1', word: 'Custom 1', hint: 'The whole text of the field.' },
  { name: 'custom2', word: 'Custom 2', hint: 'The whole text of the field.' },
  { name: 'id', word: 'Record', hint: 'The id of one record.' },
];

type Search = Readonly<Record<string, string>>;
const NAMES = [...TEXT_FILTERS.map(({ name }) => name), 'documentId'] as const;

/** Reads the filter of records from the address. */
export function filterOf(search: Search): LogsFilter {
  const { from, to } = search;
  const texts = NAMES.filter((name) => search[name]).map((name) => [name, search[name]]);
  return { ...Object.fromEntries(texts), ...((from || to) && { dateTime: { ...(from && { from }), ...(to && { to }) } }) };
}

export const orderOf = (search: Search): LogOrder => (search['order'] === 'written' ? 'WRITTEN' : 'EVENT');

export const isFiltered = (search: Search): boolean => [...NAMES, 'from', 'to'].some((name) => search[name]);

export const NO_FILTERS: Readonly<Record<string, undefined>> = Object.fromEntries(
  [...NAMES, 'from', 'to'].map((name) => [name, undefined]),
);

/** Says in words which records a filter finds. */
export function filterInWords(search: Search): string {
  const words = [{ name: 'documentId', word: 'Document' }, ...TEXT_FILTERS]
    .filter(({ name }) => search[name])
    .map(({ name, word }) => `${word}: ${search[name]}`);
  const time = timeInWords(search);
  return [...words, ...(time ? [time] : [])].join(', ') || 'All records';
}

/** Says a range of times, as far as the address has one. */
export function timeInWords({ from, to }: Search): string | undefined {
  if (from && to) return `${shown(from)} to ${shown(to)}`;
  if (from) return `Since ${shown(from)}`;
  return to && `Until ${shown(to)}`;
}

const shown = (time: string) => (Number.isNaN(Date.parse(time)) ? time : formatTime(time));

export const searchText = (search: Record<string, string | null | undefined>): string => {
  const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
};

export const documentPath = (type: string | null, id: string | null, at?: string): string =>
  `/document${searchText({ type, id, at })}`;
export const personPath = (id: string): string => `/person${searchText({ id })}`;
