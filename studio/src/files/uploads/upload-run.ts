import { upload } from '../../../../clients/js/src/browser';
import { NotFoundError, PlatformError } from '../../../../clients/js/src/errors';
import type { CreateFileInput } from '../../../../clients/js/src/generated/files';
import { retrying } from '../../../../clients/js/src/retry';
import { sendFromPage } from '../../../../clients/js/src/transfer';
import type { Api } from '../../api/client';

const MIB = 1024 * 1024;
/** Larger content is sent in parts, so that it resumes after a pause. */
const LARGEST_WHOLE = 64 * MIB;
const PART_BYTES = 8 * MIB;
const RETRIES = 4;

/** A local file being uploaded, with its state on the server. */
export interface Job {
  readonly api: Api['files'];
  readonly source: File;
  readonly input: CreateFileInput;
  /** File whose content it replaces. */
  readonly replaces?: { readonly id: string; readonly etag: string | null } | undefined;
  fileId?: string;
  uploadId?: string;
}

type OnSent = (bytes: number) => void;

export const isInParts = ({ source }: Pick<Job, 'source'>): boolean => source.size > LARGEST_WHOLE;

/** Sends the content, resuming an earlier call if it is sent in parts. @throws the reason of the signal */
export async function run(job: Job, onSent: OnSent, signal: AbortSignal): Promise<void> {
  // Not aborted by the signal: without the id of the response nobody could delete the file.
  job.fileId ??= job.replaces?.id;
  let address: string | null = null;
  if (!job.fileId) {
    const file = await job.api.createFile({ input: job.input }, { id: true, uploadUrl: true });
    job.fileId = file.id!;
    address = file.uploadUrl;
  }
  signal.throwIfAborted();
  await (isInParts(job) ? sendParts(job, onSent, signal) : sendWhole(job, { onSent, signal, address }));
}

/** Deletes the leftovers of a cancelled upload. A file whose content was to be replaced stays. */
export async function undo({ api, replaces, fileId, uploadId }: Job): Promise<void> {
  if (!fileId) return;
  if (uploadId) await api.abortMultipartUpload({ input: { fileId, uploadId } }, { id: true }).catch(() => undefined);
  if (!replaces) await api.deleteFile({ id: fileId }, { id: true }).catch(() => undefined);
}

/** Sends without a type, which would be compared with that of the file, and again with it if the file accepts only some types. */
async function named<T>(type: string, send: (type?: string) => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isWanted = error instanceof PlatformError && (error.status === 415 || error.field === 'input.contentType');
    if (!isWanted || type === '') throw error;
    return send(type);
  }
}

interface Sending {
  onSent: OnSent;
  signal: AbortSignal;
  /** Valid for one attempt; the next requests another. */
  address: string | null;
}

async function sendWhole({ api, source, replaces, fileId }: Job, { onSent, signal, address }: Sending): Promise<void> {
  const body = source.slice(0, source.size, ''); // a type of its own would be compared with that of the file
  const headers: Record<string, string> = replaces?.etag ? { 'if-match': replaces.etag } : {};
  await retrying(
    async (failures) => {
      const first = failures === 0 ? address : null;
      const url = first ?? (await api.file({ ID: fileId! }, { uploadUrl: true }, { signal }))?.uploadUrl;
      if (!url) throw new NotFoundError('NOT_FOUND', 'The file was deleted or expired during the upload');
      return named(source.type, (type) =>
        sendFromPage({ url, body, headers: { ...headers, ...(type && { 'content-type': type }) }, onSent, signal }),
      );
    },
    { retries: RETRIES, signal },
  );
}

async function sendParts(job: Job, onSent: OnSent, signal: AbortSignal): Promise<void> {
  const { api, source } = job;
  const fileId = job.fileId!;
  if (job.uploadId && !(await api.multipartUpload({ fileId, uploadId: job.uploadId }, { uploadId: true }, { signal }))) {
    const file = await api.file({ ID: fileId }, { uploaded: true, contentLength: true }, { signal });
    if (!job.replaces && file?.uploaded && file.contentLength === source.size) return; // only the answer had been lost
    delete job.uploadId;
  }
  job.uploadId ??= (await api.initiateMultipartUpload({ input: { fileId } }, { uploadId: true })).uploadId;
  const { uploadId } = job;
  signal.throwIfAborted();
  await upload(
    source,
    {
      partUrl: (partNumber) => api.generatePartUploadUrl({ input: { fileId, uploadId, partNumber } }, undefined, { signal }),
      parts: async () => (await api.multipartUpload({ fileId, uploadId }, undefined, { signal }))?.parts ?? [],
      complete: (etags) =>
        named(source.type, (contentType) =>
          api.completeMultipartUpload(
            { input: { fileId, uploadId, etags, contentType: contentType ?? null } },
            { id: true },
            { signal },
          ),
        ),
    },
    // Browsers open six connections to a server; one per upload leaves some for the page.
    { partBytes: PART_BYTES, parallel: 1, retries: RETRIES, onProgress: ({ done }) => onSent(done), signal },
  );
}
