import type { EventKinds, NewEvent } from '../../../common/events/outbox/event.js';
import type { EventLocation, EventSource, LogAttribute, LogAuthor, LogValue } from '../models/log.model.js';
import { type ReadLogRow, toLog } from './log-row.js';

const readBy = ['logs'];

/** Events of log records. */
export const LOG_EVENTS = {
  LOG_CREATED: { description: 'A record was stored.', readBy },
  LOG_EDITED: { description: 'comment, custom1 or custom2 of a record changed.', readBy },
  LOGS_REMOVED: { description: 'Records were removed at the end of their retention period. Data: their number and age.', readBy },
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
