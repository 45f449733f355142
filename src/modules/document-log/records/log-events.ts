import { type EventKinds, type NewEvent, SAMPLE_AUTHOR, SAMPLE_ID, SAMPLE_TIME } from '../../../common/events/outbox/event.js';
import type { EventLocation, EventSource, LogAttribute, LogAuthor, LogValue } from '../models/log.model.js';
import { type ReadLogRow, toLog } from './log-row.js';

const readBy = ['logs'];

const RECORD = {
  id: SAMPLE_ID,
  documentId: 'order-0815',
  documentType: 'order',
  attributeId: 'status',
  attribute: { id: 'status', name: { en: 'Status' } },
  attributeNewValue: { raw: 'shipped', display: null },
  attributeOldValue: { raw: 'paid', display: null },
  dateTime: SAMPLE_TIME,
  authorId: SAMPLE_AUTHOR.id,
  author: { ...SAMPLE_AUTHOR, profile: null },
  eventSource: null,
  eventLocation: null,
  comment: null,
  custom1: null,
  custom2: null,
  action: 'update',
  createdAt: SAMPLE_TIME,
  updateAt: null,
  erasedAt: null,
};
const EDITED = { ...RECORD, comment: 'By hand', updateAt: SAMPLE_TIME };
const REMOVED = { removedRecords: 1, removedEdits: 1, upToBlock: 1, olderThan: SAMPLE_TIME };

/** Events of log records. */
export const LOG_EVENTS = {
  LOG_CREATED: { description: 'A record was stored.', readBy, sample: { subject: SAMPLE_ID, data: RECORD } },
  LOG_EDITED: {
    description: 'comment, custom1 or custom2 of a record changed.',
    readBy,
    sample: { subject: SAMPLE_ID, data: EDITED },
  },
  LOGS_REMOVED: {
    description: 'Records were removed at the end of their retention period. Data: their number and age.',
    readBy,
    sample: { subject: '2', data: REMOVED },
  },
} satisfies EventKinds;

const SERVICE = 'document-log';

/** Builds the head of a log event. */
export const logChange = <Type extends keyof typeof LOG_EVENTS>(tenantId: string, type: Type) =>
  ({ tenantId, service: SERVICE, type }) as const;

/** Formats a record for an event: all fields but edits, with null for absent ones as in a query. */
export function shownLog(row: ReadLogRow): Pick<NewEvent, 'subject' | 'data'> {
  const { loadEdits: _, ...log } = toLog(row, () => Promise.resolve([]));
  const data = {
    ...log,
    attribute: filled(log.attribute, ATTRIBUTE),
    attributeNewValue: filled(log.attributeNewValue, VALUE),
    attributeOldValue: filled(log.attributeOldValue, VALUE),
    author: filled(log.author, AUTHOR),
    eventSource: filled(log.eventSource, EVENT_SOURCE),
    eventLocation: filled(log.eventLocation, EVENT_LOCATION),
  };
  return { subject: row.id, data };
}

const ATTRIBUTE: Record<keyof LogAttribute, null> = { id: null, name: null };
const VALUE: Record<keyof LogValue, null> = { raw: null, display: null };
const AUTHOR: Record<keyof LogAuthor, null> = { id: null, name: null, profile: null };
const EVENT_SOURCE: Record<keyof EventSource, null> = { id: null, name: null };
const EVENT_LOCATION: Record<keyof EventLocation, null> = { id: null, geoLocation: null };

const filled = (value: object | null | undefined, empty: object): object | null => (value ? { ...empty, ...value } : null);
