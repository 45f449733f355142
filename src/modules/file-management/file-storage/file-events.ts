import type { NewEvent } from '../../../common/events/outbox/event.js';
import type { FILE_EVENTS } from './events.js';
import { type ListedFile, toFile } from './file-row.js';

const SERVICE = 'file-management';

/** The kind of an event of a file, for `EventOutbox.change`. */
export const fileChange = (tenantId: string, type: keyof typeof FILE_EVENTS) => ({ tenantId, service: SERVICE, type }) as const;

/** Shows a file in an event: all fields but its signed addresses. */
export const shownFile = (row: ListedFile): Pick<NewEvent, 'subject' | 'data'> => ({ subject: row.id, data: toFile(row) });
