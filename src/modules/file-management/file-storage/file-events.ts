import type { EventKinds, NewEvent } from '../../../common/events/outbox/event.js';
import { type FileRow, type ListedFile, toFile } from './file-row.js';

const readBy = ['file', 'files', 'filesWithExternalReference'];

/** The events of files. */
export const FILE_EVENTS = {
  FILE_DONE: { description: 'New content of a file is complete.', readBy },
  FILE_FAILED: {
    description: 'An upload was refused after its bytes had arrived, or the content was lost; error says why.',
    readBy,
  },
  FILE_EXPIRED: { description: 'A file expired, and its content was removed: up to a minute after expiresAt.', readBy },
  FILE_DELETED: { description: 'The application deleted a file. The file is shown as it was.', readBy },
} satisfies EventKinds;

const SERVICE = 'file-management';

/** The kind of an event of a file, for `EventOutbox.change`. */
export const fileChange = (tenantId: string, type: keyof typeof FILE_EVENTS) => ({ tenantId, service: SERVICE, type }) as const;

/** Shows a file in an event: all fields but its signed addresses. */
export const shownFile = (row: ListedFile | FileRow): Pick<NewEvent, 'subject' | 'data'> => ({
  subject: row.id,
  data: toFile(row),
});
