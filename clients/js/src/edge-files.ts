import { sha256 } from './browser.js';
import { download } from './download.js';
import { ContentMismatchError, NotFoundError } from './errors.js';
import { OPERATIONS, SERVICE } from './generated/files.js';
import type { Files, FileUploadOptions } from './node/files.js';
import { serviceOf } from './operations.js';
import { dispositionOf } from './parts.js';
import { retrying } from './retry.js';
import { locate, type Methods, type StoredFile, targetOf } from './stored-files.js';
import { sendFromPage } from './transfer.js';
import type { Transport } from './transport.js';

/** Time for a failed upload to remove its file. */
const REMOVAL_MS = 5_000;

/** Transfers of content in memory: the edge has neither files nor streams that can be sent twice. */
export function edgeFilesOf(transport: Transport): Files {
  const methods = serviceOf(transport, SERVICE, OPERATIONS) as Methods;
  return {
    ...methods,
    upload: async (source, options = {}) => upload(methods, blobOf(source), options),
    download: (id, options = {}) => download(async () => (await locate(methods, id, options.signal)).downloadUrl, options),
    downloadTo: () => Promise.reject(new TypeError('There are no files at the edge: use download')),
    parts: (handle) => targetOf(methods, handle),
  };
}

function blobOf(source: unknown): Blob {
  if (source instanceof Blob) return source;
  if (ArrayBuffer.isView(source)) return new Blob([source as Uint8Array<ArrayBuffer>]);
  throw new TypeError('The source of an upload at the edge must be a Blob or bytes');
}

async function upload(methods: Methods, source: Blob, options: FileUploadOptions): Promise<StoredFile> {
  const {
    onProgress,
    signal,
    retries = 5,
    partBytes: _1,
    parallel: _2,
    partsFrom: _3,
    onStart: _4,
    resume: _5,
    ...input
  } = options;
  const name = input.name ?? (source instanceof File ? source.name : undefined);
  const contentType = input.contentType ?? (source.type || undefined);
  const checksumSha256 = input.checksumSha256 ?? (await sha256(source));
  const file = { ...input, ...(name && { name }), checksumSha256, ...(!input.accept && contentType && { contentType }) };
  const { id, uploadUrl } = await methods.createFile({ input: file }, { id: true, uploadUrl: true }, { signal });
  const headers: { [header: string]: string } = name ? { 'content-disposition': dispositionOf(name) } : {};
  if (input.accept && contentType) headers['content-type'] = contentType;
  try {
    await retrying(
      async (failures) => {
        // The first URL is valid for 30 s, so later attempts request another.
        const url = failures === 0 ? uploadUrl : (await methods.file({ ID: id }, { uploadUrl: true }, { signal }))?.uploadUrl;
        if (!url) throw new NotFoundError('NOT_FOUND', `File ${id} was deleted while its content was sent`);
        return sendFromPage({ url, body: source, headers, onSent: (done) => onProgress?.({ done, total: source.size }), signal });
      },
      { retries, signal },
    );
    const stored = await methods.file({ ID: id }, undefined, { signal });
    if (stored?.checksumSha256 !== checksumSha256)
      throw new ContentMismatchError(`The server has other bytes than were sent to file ${id}`);
    return stored;
  } catch (error) {
    await methods.deleteFile({ id }, { id: true }, { signal: AbortSignal.timeout(REMOVAL_MS) }).catch(() => undefined);
    throw error;
  }
}
