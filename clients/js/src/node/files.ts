import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Download, download, type DownloadOptions } from '../download.js';
import { ContentMismatchError, NotFoundError } from '../errors.js';
import { type CreateFileInput, OPERATIONS, SERVICE } from '../generated/files.js';
import { serviceOf } from '../operations.js';
import { dispositionOf, partSize, type PartsOptions, type PartsTarget, type Piece, piecesOf, uploadParts } from '../parts.js';
import { retrying, untilAborted } from '../retry.js';
import { locate, type Methods, type StoredFile, targetOf } from '../stored-files.js';
import type { CallOptions, Transport } from '../transport.js';
import { type Bytes, sendFromNode } from './send.js';
import { type Content, contentOf, piecesOfStream, sha256Of, type UploadSource } from './source.js';

/**
 * Larger content is sent in parts, which are hashed before the first is sent: 96 MiB reach 0.51 of a bare request in parts, and 0.98 in
 * one request, which is hashed while sent. A broken connection then costs one part only.
 */
const PARTS_FROM = 256 * 1024 * 1024;
/** Time for a failed upload to remove its file. The connection may be dead, and each request would wait for 40 s. */
const REMOVAL_MS = 5_000;

/** A resumable upload in parts. Store it until the upload ends. */
export interface UploadHandle {
  fileId: string;
  uploadId: string;
  partBytes: number;
}

/** The file to create, and how to send its content. */
export interface FileUploadOptions extends CreateFileInput, PartsOptions {
  /** Larger content is sent in parts; 256 MiB by default. */
  partsFrom?: number;
  /** Called with an upload in parts before its first byte is sent, and awaited. With it, a failed upload stays and can be resumed. */
  onStart?: (upload: UploadHandle) => void | Promise<void>;
  /** Continues the upload that `onStart` reported: only missing parts are sent. */
  resume?: UploadHandle;
}

/** A service with its operations, and file transfers. */
export type Files = Methods & {
  /**
   * Creates a file, sends its content in one request or in parts, and verifies its SHA-256: for parts of a stream only if
   * `checksumSha256` is given. A failed upload removes its file, unless `onStart` is set. With `accept`, `contentType` is the type of the
   * content.
   */
  upload(source: UploadSource, options?: FileUploadOptions): Promise<StoredFile>;
  /** Reads the content of a file, and verifies its SHA-256 if the file has one and reading starts at byte 0. */
  download(id: string, options?: DownloadOptions): Promise<Download>;
  /** Writes the content to a file, which appears once it is complete. Until then `PATH.part` has the received part, with which a later call resumes. */
  downloadTo(id: string, path: string, options?: Omit<DownloadOptions, 'from'>): Promise<void>;
  /**
   * Returns the server side of an upload in parts, for a page that calls your server. `contentType` is that of the content, for a file
   * with `accept`.
   */
  parts(upload: { fileId: string; uploadId: string; contentType?: string | undefined }): PartsTarget<StoredFile>;
};

export function filesOf(transport: Transport): Files {
  const methods = serviceOf(transport, SERVICE, OPERATIONS);
  return {
    ...methods,
    upload: (source, options = {}) => upload(methods, source, options),
    download: (id, options = {}) => downloadChecked(methods, id, options),
    downloadTo: (id, path, options = {}) => downloadTo(methods, id, path, options),
    parts: (handle) => targetOf(methods, handle),
  };
}

async function upload(methods: Methods, source: UploadSource, options: FileUploadOptions): Promise<StoredFile> {
  const { partsFrom = PARTS_FROM, resume } = options;
  const partBytes = resume?.partBytes ?? partSize(options.partBytes);
  const content = await contentOf(source);
  if (!content) return uploadStream(methods, source as AsyncIterable<Uint8Array>, { ...options, partBytes });
  const named = { name: content.name, contentType: content.contentType, ...options };
  if (!resume && content.size <= partsFrom) return uploadWhole(methods, content, named);
  const checksumSha256 = options.checksumSha256 ?? (await sha256Of(content, options.signal));
  const size = resume ? partBytes : partSize(partBytes, content.size);
  const pieces = piecesOf(content.size, size, (from, to) => content.slice(from, to));
  const file = await uploadInParts(methods, pieces, { ...named, checksumSha256, partBytes: size, total: content.size });
  if (file.checksumSha256 && file.checksumSha256 !== checksumSha256) {
    throw new ContentMismatchError(`Parts of file ${file.id} had arrived from other content than this`);
  }
  return file;
}

async function uploadStream(
  methods: Methods,
  source: AsyncIterable<Uint8Array>,
  options: FileUploadOptions & { partBytes: number },
) {
  const pieces = piecesOfStream(source, options.partBytes);
  const first = (await untilAborted(pieces.next(), options.signal)).value!;
  if (first.size < options.partBytes && !options.resume) {
    return uploadWhole(methods, { size: first.size, slice: () => first.body }, options);
  }
  async function* all() {
    yield first;
    yield* pieces;
  }
  return uploadInParts(methods, all(), { ...options, total: undefined });
}

/** Only the fields of createFile. */
function inputOf(options: FileUploadOptions): CreateFileInput {
  const {
    onProgress: _1,
    signal: _2,
    retries: _3,
    partBytes: _4,
    parallel: _5,
    partsFrom: _6,
    onStart: _7,
    resume: _8,
    ...input
  } = options;
  const { total: _9, contentType, ...rest } = input as typeof input & { total?: number };
  return rest.accept ? rest : { ...rest, ...(contentType !== undefined && { contentType }) };
}

async function uploadWhole(methods: Methods, content: Content, options: FileUploadOptions): Promise<StoredFile> {
  const { onProgress, signal, retries = 5 } = options;
  const { id, uploadUrl } = await methods.createFile({ input: inputOf(options) }, { id: true, uploadUrl: true }, { signal });
  let hash: Hash | undefined;
  const body: Bytes = { ...content.slice(0, content.size), hash: () => (hash = createHash('sha256')) };
  const onSent = (done: number) => onProgress?.({ done, total: content.size });
  const headers: { [name: string]: string } = options.name ? { 'content-disposition': dispositionOf(options.name) } : {};
  if (options.accept && options.contentType) headers['content-type'] = options.contentType;
  try {
    await retrying(
      async (failures) => {
        // The first URL is valid for 30 s, so later attempts request another.
        const url = failures === 0 ? uploadUrl : (await methods.file({ ID: id }, { uploadUrl: true }, { signal }))?.uploadUrl;
        if (!url) throw new NotFoundError('NOT_FOUND', `File ${id} was deleted while its content was sent`);
        return sendFromNode({ url, body, headers, onSent, signal });
      },
      { retries, signal },
    );
    const file = await methods.file({ ID: id }, undefined, { signal });
    const sent = hash!.digest('hex');
    if (file?.checksumSha256 !== sent) throw new ContentMismatchError(`The server has other bytes than were sent to file ${id}`);
    return file;
  } catch (error) {
    await removed((call) => methods.deleteFile({ id }, { id: true }, call));
    throw error;
  }
}

type InParts = FileUploadOptions & { partBytes: number; total: number | undefined };

async function uploadInParts(
  methods: Methods,
  pieces: Iterable<Piece<Bytes>> | AsyncIterable<Piece<Bytes>>,
  options: InParts,
): Promise<StoredFile> {
  const { signal, onStart, resume } = options;
  const handle = resume ?? (await startParts(methods, options));
  try {
    if (!resume) await onStart?.(handle);
    const contentType = options.accept ? (options.contentType ?? undefined) : undefined;
    return await uploadParts(pieces, targetOf(methods, { ...handle, contentType }), sendFromNode, options);
  } catch (error) {
    const isGone = error instanceof NotFoundError && resume;
    const file = isGone ? await methods.file({ ID: handle.fileId }, undefined, { signal }) : undefined;
    if (file?.uploaded && file.contentLength === options.total) return file; // the answer to its completion was lost
    if (!onStart && !resume) await removed((call) => removeParts(methods, handle, call));
    throw error;
  }
}

async function startParts(methods: Methods, options: InParts): Promise<UploadHandle> {
  const call = { signal: options.signal };
  const { id: fileId } = await methods.createFile({ input: inputOf(options) }, { id: true }, call);
  const { uploadId } = await methods.initiateMultipartUpload({ input: { fileId } }, { uploadId: true }, call);
  return { fileId, uploadId, partBytes: options.partBytes };
}

/** Removes the file of a failed upload, or stops trying in time. Leaves no request running. */
async function removed(removal: (call: CallOptions) => Promise<unknown>): Promise<void> {
  await removal({ signal: AbortSignal.timeout(REMOVAL_MS) }).catch(() => undefined);
}

async function removeParts(methods: Methods, { fileId, uploadId }: UploadHandle, call: CallOptions): Promise<void> {
  await methods.abortMultipartUpload({ input: { fileId, uploadId } }, { id: true }, call).catch(() => undefined);
  await methods.deleteFile({ id: fileId }, { id: true }, call);
}

async function downloadChecked(methods: Methods, id: string, options: DownloadOptions): Promise<Download> {
  const { checksumSha256 } = await locate(methods, id, options.signal);
  const found = await download(async () => (await locate(methods, id, options.signal)).downloadUrl, options);
  if (!checksumSha256 || options.from) return found;
  const hash = createHash('sha256');
  const check = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      hash.update(chunk);
      controller.enqueue(chunk);
    },
    flush: () => {
      if (hash.digest('hex') !== checksumSha256) throw new ContentMismatchError(`File ${id} came with other bytes than it has`);
    },
  });
  return { ...found, stream: found.stream.pipeThrough(check) };
}

async function downloadTo(methods: Methods, id: string, path: string, options: Omit<DownloadOptions, 'from'>): Promise<void> {
  const { checksumSha256, contentLength } = await locate(methods, id, options.signal);
  const part = `${path}.part`;
  const hash = createHash('sha256');
  // Received bytes are trustworthy only after verification of the whole content.
  const there = checksumSha256 ? ((await stat(part).catch(() => undefined))?.size ?? 0) : 0;
  const from = there <= (contentLength ?? 0) ? there : 0;
  if (from > 0) for await (const chunk of createReadStream(part, { end: from - 1 })) hash.update(chunk as Buffer);
  const address = async () => (await locate(methods, id, options.signal)).downloadUrl;
  const { stream } = await download(address, { ...options, from });
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(
    Readable.fromWeb(stream as never),
    hashed,
    createWriteStream(part, { flags: from > 0 ? 'a' : 'w', flush: true }),
  );
  if (checksumSha256 && hash.digest('hex') !== checksumSha256) {
    await rm(part);
    throw new ContentMismatchError(`File ${id} came with other bytes than it has, or ${part} was of another; call again`);
  }
  await rename(part, path);
}
