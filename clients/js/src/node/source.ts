import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Piece } from '../parts.js';
import type { Bytes } from './send.js';

/** Content to upload: the path of a file, bytes, a Blob, or a stream of any size. */
export type UploadSource =
  string | URL | Blob | Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** Content of known size that can be read again. */
export interface Content {
  size: number;
  name?: string | undefined;
  contentType?: string | undefined;
  slice(from: number, to: number): Bytes;
}

const CHUNK_BYTES = 256 * 1024;

/** Returns content of known size, or nothing for a stream. @throws the error of a file that cannot be read */
export async function contentOf(source: UploadSource): Promise<Content | undefined> {
  if (typeof source === 'string' || source instanceof URL)
    return fileContent(typeof source === 'string' ? source : fileURLToPath(source));
  if (source instanceof Blob) {
    const open = (from: number, to: number) => Readable.fromWeb(source.slice(from, to).stream() as never);
    const slice = (from: number, to: number) => ({ size: to - from, open: () => open(from, to) });
    return { size: source.size, name: (source as Partial<File>).name, contentType: source.type || undefined, slice };
  }
  if (source instanceof ArrayBuffer) return bytesContent(new Uint8Array(source));
  return ArrayBuffer.isView(source) ? bytesContent(source as Uint8Array) : undefined;
}

async function fileContent(path: string): Promise<Content> {
  const found = await stat(path);
  if (!found.isFile()) throw new TypeError(`${path} is not a file`);
  const slice = (from: number, to: number): Bytes => ({
    size: to - from,
    open: () =>
      to > from ? createReadStream(path, { start: from, end: to - 1, highWaterMark: CHUNK_BYTES }) : Readable.from([]),
  });
  return { size: found.size, name: basename(path), slice };
}

function bytesContent(bytes: Uint8Array): Content {
  return {
    size: bytes.byteLength,
    slice: (from, to) => ({ size: to - from, open: () => Readable.from(chunks(bytes, from, to)) }),
  };
}

function* chunks(bytes: Uint8Array, from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to; at += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, to - at);
    yield Buffer.from(bytes.buffer, bytes.byteOffset + at, length);
  }
}

export async function sha256Of(content: Content, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.slice(0, content.size).open()) {
    signal?.throwIfAborted();
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

/** Splits a stream into parts in memory, each of which can be resent. An empty stream is one empty part. */
export async function* piecesOfStream(source: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Piece<Bytes>, void> {
  let partNumber = 1;
  let waiting: Uint8Array[] = [];
  let size = 0;
  const take = (): Piece<Bytes> => {
    const bytes = Buffer.concat(waiting, size);
    const piece = { partNumber: partNumber++, size, body: bytesContent(bytes).slice(0, size) };
    waiting = [];
    size = 0;
    return piece;
  };
  for await (let chunk of source) {
    while (size + chunk.byteLength > partBytes) {
      const room = partBytes - size;
      waiting.push(chunk.subarray(0, room));
      size = partBytes;
      chunk = chunk.subarray(room);
      yield take();
    }
    waiting.push(chunk);
    size += chunk.byteLength;
  }
  if (size > 0 || partNumber === 1) yield take();
}
