import type { EventKinds, NewEvent } from '../../../common/events/outbox/event.js';
import { type FileRow, type ListedFile, toFile } from './file-row.js';

const readBy = ['file', 'files', 'filesWithExternalReference'];

export const FILE_EVENTS = {
  FILE_DONE: { description: 'New content of a file is complete.', readBy },
  FILE_FAILED: {
    description: 'An upload was refused after its content had arrived, or stored content was lost; see error.',
    readBy,
  },
  FILE_EXPIRED: { description: 'A file expired and its content was removed, up to a minute after expiresAt.', readBy },
  FILE_DELETED: { description: 'The application deleted a file. Contains its last state.', readBy },
} satisfies EventKinds;

const SERVICE = 'file-management';

/** Returns the event fields that `EventOutbox.change` needs. */
export const fileChange = (tenantId: string, type: keyof typeof FILE_EVENTS) => ({ tenantId, service: SERVICE, type }) as const;

/** Returns the file for an event: all fields except signed URLs. */
export const shownFile = (row: ListedFile | FileRow): Pick<NewEvent, 'subject' | 'data'> => ({
  subject: row.id,
  data: toFile(row),
});
