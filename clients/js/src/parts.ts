import { ContentMismatchError, ForbiddenError } from './errors.js';
import { isPassing, retrying, untilAborted } from './retry.js';
import type { Sender, TransferOptions } from './transfer.js';

/** An uploaded part, as listed by `multipartUpload` of the API. */
export interface ArrivedPart {
  partNumber: number;
  ETag: string;
  size?: number;
}

/** Server side of an upload in parts. A page reaches these three through your server. */
export interface PartsTarget<R = unknown> {
  /** Returns the signed URL of a part: `generatePartUploadUrl`. */
  partUrl(partNumber: number): Promise<string>;
  /** Returns the uploaded parts: `multipartUpload { parts { partNumber ETag size } }`. */
  parts(): Promise<readonly ArrivedPart[]>;
  /** Completes the upload: `completeMultipartUpload`. It may be called again after a lost response. */
  complete(parts: { partNumber: number; ETag: string }[]): Promise<R>;
}

export interface PartsOptions extends TransferOptions {
  /** Size of a part, 5 MiB to 5 GiB; 16 MiB by default, more if there would be over 10,000 parts. Resume with the same size. */
  partBytes?: number;
  /** Number of concurrent parts, 1 to 16; 4 by default. */
  parallel?: number;
}

/** A part to send. */
export interface Piece<B> {
  partNumber: number;
  size: number;
  body: B;
}

const MIB = 1024 * 1024;
const MIN_PART_BYTES = 5 * MIB;
const MAX_PART_BYTES = 5 * 1024 * MIB;
const MAX_PARTS = 10_000;
const DEFAULT_PART_BYTES = 16 * MIB;

/** Returns the part size for content of known or unknown size. @throws RangeError for a size that the API refuses */
export function partSize(wish = DEFAULT_PART_BYTES, contentBytes = 0): number {
  if (!(wish >= MIN_PART_BYTES && wish <= MAX_PART_BYTES)) throw new RangeError('partBytes must be from 5 MiB to 5 GiB');
  return Math.max(Math.floor(wish), Math.ceil(contentBytes / MAX_PARTS));
}

/** Splits content of known size. Empty content is one empty part. */
export function* piecesOf<B>(
  contentBytes: number,
  partBytes: number,
  slice: (from: number, to: number) => B,
): Generator<Piece<B>> {
  for (let from = 0, partNumber = 1; partNumber === 1 || from < contentBytes; from += partBytes, partNumber++) {
    const to = Math.min(from + partBytes, contentBytes);
    yield { partNumber, size: to - from, body: slice(from, to) };
  }
}

/** Values shared by all parts of an upload. */
interface Under<B> {
  target: PartsTarget;
  send: Sender<B>;
  retries: number;
  signal: AbortSignal;
  /** Adds to the number of sent bytes; negative when a part restarts. */
  count: (bytes: number) => void;
}

/**
 * Sends missing parts, several concurrently, and completes the upload. After a failure no part is being sent, sent parts stay on the
 * server, and the same call resumes.
 */
export async function uploadParts<B, R>(
  pieces: Iterable<Piece<B>> | AsyncIterable<Piece<B>>,
  target: PartsTarget<R>,
  send: Sender<B>,
  { onProgress, signal, retries = 5, parallel = 4, total }: PartsOptions & { total: number | undefined },
): Promise<R> {
  if (!(parallel >= 1 && parallel <= 16)) throw new RangeError('parallel must be from 1 to 16');
  const failure = new AbortController();
  const both = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  let done = 0;
  const count = (bytes: number) => onProgress?.({ done: (done += bytes), total });
  const under: Under<B> = { target, send, retries, signal: both, count };
  const arrived = new Map((await retrying(() => target.parts(), { retries, signal })).map((part) => [part.partNumber, part]));
  const parts: { partNumber: number; ETag: string }[] = [];
  const running = new Set<Promise<void>>();
  const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  try {
    while (true) {
      const { value: piece, done: isEnd } = await untilAborted(Promise.resolve(iterator.next()), both);
      if (isEnd) break;
      const { partNumber, size } = piece;
      const there = arrived.get(partNumber);
      if (there && (there.size === undefined || there.size === size)) {
        parts.push({ partNumber, ETag: there.ETag });
        count(size);
        continue;
      }
      const sending: Promise<void> = sendPart(piece, under).then((ETag) => {
        parts.push({ partNumber, ETag });
        running.delete(sending);
      });
      running.add(sending);
      sending.catch((error: unknown) => failure.abort(error));
      if (running.size >= parallel) await Promise.race(running);
    }
    await Promise.all(running);
  } catch (error) {
    failure.abort(error);
    void Promise.resolve(iterator.return?.()).catch(() => undefined); // a stream that waits ends with its next chunk
    await Promise.allSettled(running);
    throw error;
  }
  parts.sort((one, other) => one.partNumber - other.partNumber);
  return retrying(() => target.complete(parts), { retries, signal });
}

async function sendPart<B>({ partNumber, body }: Piece<B>, { target, send, retries, signal, count }: Under<B>): Promise<string> {
  const ETag = await retrying(
    async () => {
      let sent = 0;
      const onSent = (bytes: number) => (count(bytes - sent), (sent = bytes));
      try {
        return await send({ url: await target.partUrl(partNumber), body, onSent, signal });
      } catch (error) {
        onSent(0);
        throw error;
      }
    },
    // Retries a first 403 too: the URL may have expired while the part waited, and the next attempt has a new one.
    { retries, signal, mayRepeat: (error, failures) => isPassing(error) || (error instanceof ForbiddenError && failures === 0) },
  );
  if (!ETag) throw new ContentMismatchError(`Part ${partNumber} has no ETag; the store must let pages read that header`);
  return ETag;
}

/** Content that a page sends. */
export interface UploadOptions extends PartsOptions {
  /** MIME type to send, which must be that of the file. */
  contentType?: string;
  /** Name for downloads; by default that of a File. */
  name?: string;
}

/**
 * Uploads from a page, without a key. The target is an `uploadUrl`, or a function that returns a new one, for one request; or a
 * PartsTarget, for parts that are sent in parallel and resumed by calling again after a reload. Returns the ETag, or the result of
 * `complete`.
 */
export async function uploadBlob<R>(
  send: Sender<Blob>,
  source: Blob,
  target: string | (() => Promise<string>) | PartsTarget<R>,
  options: UploadOptions,
): Promise<string | R> {
  const { onProgress, signal, retries = 5, contentType, name = (source as Partial<File>).name } = options;
  if (typeof target === 'object') {
    const pieces = piecesOf(source.size, partSize(options.partBytes, source.size), (from, to) => source.slice(from, to));
    return uploadParts(pieces, target, send, { ...options, total: source.size });
  }
  const headers = {
    ...(contentType && { 'content-type': contentType }),
    ...(name && { 'content-disposition': dispositionOf(name) }),
  };
  // Without its own type, which the server would compare with that of the file.
  const body = contentType ? source : source.slice(0, source.size, '');
  const onSent = (done: number) => onProgress?.({ done, total: source.size });
  return retrying(
    async () => {
      const url = typeof target === 'string' ? target : await target();
      return send({ url, body, headers, onSent, signal });
    },
    { retries, signal },
  );
}

export const dispositionOf = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)}`;
