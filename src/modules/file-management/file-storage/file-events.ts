import { type EventKinds, type NewEvent, SAMPLE_AUTHOR, SAMPLE_ID, SAMPLE_TIME } from '../../../common/events/outbox/event.js';
import { type FileRow, type ListedFile, toFile } from './file-row.js';

const readBy = ['file', 'files', 'filesWithExternalReference'];

const FILE = {
  id: SAMPLE_ID,
  name: 'invoice-0815.txt',
  active: true,
  comment: null,
  author: SAMPLE_AUTHOR,
  contentType: 'text/plain',
  contentLength: 12,
  maxBytes: null,
  status: 'done',
  error: null as object | null,
  createdAt: SAMPLE_TIME,
  updatedAt: SAMPLE_TIME,
  expiresAt: null as string | null,
  externalReference: 'order-0815',
  uploaded: true,
  public: false,
  cacheControl: null,
  attributes: [{ name: 'kind', value: 'invoice' }],
  checksumSha256: 'bf30d3cf4f7b5f3a9ad5068cacec6d53db23539359d5062ce4e3a8943cdd0c9a',
  etag: '"bf30d3cf4f7b5f3a9ad5068cacec6d53"' as string | null,
};

const sampleOf = (change: Partial<typeof FILE> = {}) => ({ subject: SAMPLE_ID, data: { ...FILE, ...change } });

const LOST = { code: 'BAD_USER_INPUT', message: 'The content does not have the expected SHA-256' };

export const FILE_EVENTS = {
  FILE_DONE: { description: 'New content of a file is complete.', readBy, sample: sampleOf() },
  FILE_FAILED: {
    description: 'An upload was refused after its content had arrived, or stored content was lost; see error.',
    readBy,
    sample: sampleOf({ status: 'error', error: LOST }),
  },
  FILE_EXPIRED: {
    description: 'A file expired and its content was removed, up to a minute after expiresAt.',
    readBy,
    sample: sampleOf({ status: 'expired', expiresAt: SAMPLE_TIME, uploaded: false }),
  },
  FILE_DELETED: { description: 'The application deleted a file. Contains its last state.', readBy, sample: sampleOf() },
} satisfies EventKinds;

const SERVICE = 'file-management';

/** Returns the event fields that `EventOutbox.change` needs. */
export const fileChange = (tenantId: string, type: keyof typeof FILE_EVENTS) => ({ tenantId, service: SERVICE, type }) as const;

/** Returns the file for an event: all fields except signed URLs. */
export const shownFile = (row: ListedFile | FileRow): Pick<NewEvent, 'subject' | 'data'> => ({
  subject: row.id,
  data: toFile(row),
});
