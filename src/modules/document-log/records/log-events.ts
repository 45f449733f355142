import type { NewEvent } from '../../../common/events/outbox/event.js';
import type { LOG_EVENTS } from '../models/events.js';
import { type ReadLogRow, toLog } from './log-row.js';

const SERVICE = 'document-log';

/** The kind of an event of a log. */
export const logChange = <Type extends keyof typeof LOG_EVENTS>(tenantId: string, type: Type) =>
  ({ tenantId, service: SERVICE, type }) as const;

/** Shows a record in an event: all fields but its edits. */
export const shownLog = (row: ReadLogRow): Pick<NewEvent, 'subject' | 'data'> => ({
  subject: row.id,
  data: toLog(row, () => Promise.resolve([])),
});
