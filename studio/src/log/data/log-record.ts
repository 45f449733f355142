import type { Log } from '../../../../clients/js/src/generated/log';
import type { Selected } from '../../../../clients/js/src/selection';

const VALUE = { raw: true, display: true } as const;

/** Fields of a record in lists, timelines and lanes. */
export const LISTED = {
  id: true,
  dateTime: true,
  createdAt: true,
  documentType: true,
  documentId: true,
  action: true,
  attributeId: true,
  attribute: { id: true, name: true },
  attributeOldValue: VALUE,
  attributeNewValue: VALUE,
  authorId: true,
  author: { id: true, name: true, profile: true },
  comment: true,
  erasedAt: true,
} as const;

/** Every field of a record. */
export const WHOLE = {
  ...LISTED,
  custom1: true,
  custom2: true,
  updateAt: true,
  eventSource: { id: true, name: true },
  eventLocation: { id: true, geoLocation: true },
  edits: { id: true, dateTime: true, field: true, oldValue: true, newValue: true },
} as const;

export type ListedRecord = Selected<Log, typeof LISTED>;
export type WholeRecord = Selected<Log, typeof WHOLE>;

/** A record that was changed in the database and cannot be shown. */
export interface DamagedRecord {
  id: string;
  damage: string;
}

export const isDamaged = <T extends { id: string }>(record: T | DamagedRecord): record is DamagedRecord => 'damage' in record;

type Name = string | { readonly [languageTag: string]: string } | null | undefined;

/** Returns a name in English, else in its first language. */
export function readName(name: Name): string | undefined {
  if (!name) return undefined;
  if (typeof name === 'string') return name;
  return name['en'] ?? Object.values(name)[0];
}

export const attributeName = ({
  attribute,
  attributeId,
}: {
  attribute: { name: Name } | null;
  attributeId: string | null;
}): string | undefined => readName(attribute?.name) ?? attributeId ?? undefined;

export const authorName = ({ author, authorId }: Pick<ListedRecord, 'author' | 'authorId'>): string | undefined =>
  author?.name ?? authorId ?? undefined;

type Value = { display: string | null; raw: string | null } | null | undefined;

/** Formats a value for people. */
export const shownValue = (value: Value): string | undefined => value?.display ?? value?.raw ?? undefined;

/** Names a record by its document and change. */
export function recordTitle(record: ListedRecord): string {
  const what = attributeName(record) ?? record.action;
  return what ? `${record.documentId} · ${what}` : (record.documentId ?? 'Record');
}
