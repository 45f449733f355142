import type { LogField, LogOrder, LogsFilter } from '../../../../clients/js/src/generated/log';
import type { Offered } from '../../ui/text-filter';
import { timeInWords } from '../../ui/time-filter';

type TextFilter = 'documentType' | 'attributeId' | 'authorId' | 'action' | 'custom1' | 'custom2' | 'id';

interface ExactFilter {
  name: TextFilter;
  word: string;
  hint: string;
  /** Field whose values are suggested, if filtering by it is common. */
  field?: LogField;
}

/** Filters shown as chips, with their label and input hint. */
export const TEXT_FILTERS: readonly ExactFilter[] = [
  { name: 'documentType', word: 'Type', hint: 'Exact document type. Case-sensitive.', field: 'DOCUMENT_TYPE' },
  { name: 'attributeId', word: 'Attribute', hint: 'Exact attribute ID. Case-sensitive.', field: 'ATTRIBUTE' },
  { name: 'authorId', word: 'Person', hint: 'Exact person ID. Case-sensitive.', field: 'AUTHOR' },
  { name: 'action', word: 'Action', hint: 'Exact action. Case-sensitive.', field: 'ACTION' },
  { name: 'custom1', word: 'Custom 1', hint: 'Exact value. Case-sensitive.' },
  { name: 'custom2', word: 'Custom 2', hint: 'Exact value. Case-sensitive.' },
  { name: 'id', word: 'Record', hint: 'The ID of a record.' },
];

/** Log fields whose values can be chosen. */
export const offeredBy = (field: LogField): Offered => ({
  right: ['document-log', 'query', 'logValues'],
  queryKey: ['log', 'values', field],
  read: ({ log }, wanted, signal) => log.logValues({ field, ...wanted }, undefined, { signal }),
});

type Search = Readonly<Record<string, string>>;
const NAMES = [...TEXT_FILTERS.map(({ name }) => name), 'documentId'] as const;

/** Reads the record filter from the URL. */
export function filterOf(search: Search): LogsFilter {
  const { from, to } = search;
  const texts = NAMES.filter((name) => search[name]).map((name) => [name, search[name]]);
  return { ...Object.fromEntries(texts), ...((from || to) && { dateTime: { ...(from && { from }), ...(to && { to }) } }) };
}

export const orderOf = (search: Search): LogOrder => (search['order'] === 'written' ? 'WRITTEN' : 'EVENT');

export const isFiltered = (search: Search): boolean => [...NAMES, 'from', 'to'].some((name) => search[name]);

/** Describes a filter in words. */
export function filterInWords(search: Search): string {
  const words = [{ name: 'documentId', word: 'Document' }, ...TEXT_FILTERS]
    .filter(({ name }) => search[name])
    .map(({ name, word }) => `${word}: ${search[name]}`);
  const time = timeInWords(search['from'], search['to']);
  return [...words, ...(time ? [time] : [])].join(', ') || 'All records';
}

export const searchText = (search: Record<string, string | null | undefined>): string => {
  const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
};

export const documentPath = (type: string | null, id: string | null, at?: string): string =>
  `/document${searchText({ type, id, at })}`;
export const personPath = (id: string): string => `/person${searchText({ id })}`;
