import { ConnectionError, ContentMismatchError, errorOfAnswer, ForbiddenError, PlatformError } from './errors.js';
import { isPassing, retrying } from './retry.js';
import { silent, SILENCE_MS, type TransferOptions } from './transfer.js';

export interface DownloadOptions extends TransferOptions {
  /** First byte to read; 0 by default. */
  from?: number;
}

/** A running download. */
export interface Download {
  /** Size of the whole content in bytes. */
  size: number;
  contentType: string | null;
  etag: string | null;
  /** The content. A broken connection is resumed; the stream fails only after all attempts. */
  stream: ReadableStream<Uint8Array>;
}

interface Opened {
  size: number;
  contentType: string | null;
  etag: string | null;
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
}

const RANGE = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/;

/**
 * Downloads from a `downloadUrl`, or from a function that returns one and is called again when a URL has expired. Works in pages, without
 * a key.
 * @throws ContentMismatchError, also from the stream, if the content was replaced meanwhile
 */
export async function download(address: string | (() => Promise<string>), options: DownloadOptions = {}): Promise<Download> {
  const { from = 0, signal, retries = 5, onProgress } = options;
  const abort = new AbortController();
  const both = signal ? AbortSignal.any([signal, abort.signal]) : abort.signal;
  const isFunction = typeof address === 'function';
  const open = (position: number, first?: Opened) =>
    retrying(async () => openAt(isFunction ? await address() : address, position, { first, signal: both }), {
      retries,
      signal: both,
      mayRepeat: (error, failures) => isPassing(error) || (error instanceof ForbiddenError && isFunction && failures === 0),
    });
  const first = await open(from);
  let current = first;
  let position = from;
  let failures = 0;
  const next = async (): Promise<Uint8Array | undefined> => {
    while (position < first.size) {
      try {
        const chunk = await readSome(current, both);
        if (chunk && position + chunk.length > first.size) throw new ContentMismatchError('More bytes came than there are');
        if (!chunk) throw new ConnectionError('The connection ended before the content did');
        failures = 0;
        position += chunk.length;
        onProgress?.({ done: position, total: first.size });
        return chunk;
      } catch (error) {
        if (!isPassing(error) || failures++ >= retries) throw error;
        await current.reader?.cancel().catch(() => undefined);
        current = await open(position, first);
      }
    }
    return undefined;
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = await next();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel: (reason) => abort.abort(reason),
    },
    { highWaterMark: 0 },
  );
  const { size, contentType, etag } = first;
  return { size, contentType, etag, stream };
}

/** Opens the content at a position. Every response must be of the same content as the first. */
async function openAt(
  url: string,
  position: number,
  { first, signal }: { first: Opened | undefined; signal: AbortSignal },
): Promise<Opened> {
  let response;
  try {
    const headers: { [name: string]: string } = position > 0 ? { range: `bytes=${position}-` } : {};
    response = await fetch(url, { headers, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new ConnectionError('The connection could not be opened', { cause: error });
  }
  const head = { status: response.status, header: (name: string) => response.headers.get(name) };
  const [, from, whole] = RANGE.exec(head.header('content-range') ?? '') ?? [];
  const isAtEnd = response.status === 416 && Number(whole) === position;
  if (!response.ok && !isAtEnd) throw errorOfAnswer(head, await response.text());
  const size = Number(whole ?? head.header('content-length') ?? NaN);
  const opened = { size, contentType: head.header('content-type'), etag: head.header('etag') };
  const isContinued = position === 0 || isAtEnd || (response.status === 206 && Number(from) === position);
  if (!Number.isSafeInteger(size) || !isContinued || (first && (first.size !== size || first.etag !== opened.etag))) {
    await response.body?.cancel();
    throw new ContentMismatchError('The content was replaced while it was read, or a proxy changed it');
  }
  return { ...opened, reader: isAtEnd ? undefined : response.body?.getReader() };
}

/** Reads the next chunk, or nothing at the end. */
async function readSome({ reader }: Opened, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (!reader) return undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(silent()), SILENCE_MS)));
  try {
    return (await Promise.race([reader.read(), silence])).value;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PlatformError) throw error;
    throw new ConnectionError('The connection broke while bytes were read', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
