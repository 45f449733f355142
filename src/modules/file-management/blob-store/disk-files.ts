import { type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { BlobStoreUnavailable } from './blob-store.js';

export const CHUNK_BYTES = 256 * 1024;

/** What is written at once, and what may be unsynced: the disk works while bytes still arrive. */
const WRITE_BYTES = 1024 * 1024;
const SYNC_EVERY_BYTES = 32 * 1024 * 1024;

/**
 * Streams content to a temporary file, which is on disk when this resolves; `digest` is fed on the way. When it fails,
 * nothing is left.
 */
export async function receive(folder: string, content: Readable, sizeBytes: number, digest?: Hash): Promise<string> {
  const path = join(folder, randomUUID());
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx');
    const writtenBytes = await write(file, content, digest);
    if (writtenBytes !== sizeBytes) throw new Error(`the content has ${writtenBytes} bytes, ${sizeBytes} were announced`);
    await file.close();
    return path;
  } catch (error) {
    await file?.close().catch(() => undefined);
    await rm(path, { force: true }).catch(() => undefined);
    throw asStoreFault(error);
  }
}

/** The kernel tells a failed write to one sync only, so none is left unheard. */
async function write(file: FileHandle, content: Readable, digest?: Hash): Promise<number> {
  let writtenBytes = 0;
  let unsyncedBytes = 0;
  let syncing: Promise<unknown> = Promise.resolve();
  const pieces = async function* () {
    for await (const piece of gathered(content, digest)) {
      yield piece;
      writtenBytes += piece.length;
      unsyncedBytes += piece.length;
      if (unsyncedBytes < SYNC_EVERY_BYTES) continue;
      unsyncedBytes = 0;
      await syncing;
      syncing = file.datasync();
      syncing.catch(() => undefined); // awaited below or before the next; until then it must not end the process
    }
  };
  await writeFile(file, pieces());
  await syncing;
  await file.datasync();
  return writtenBytes;
}

async function* gathered(content: Readable, digest?: Hash): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    digest?.update(chunk);
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < WRITE_BYTES) continue;
    yield Buffer.concat(chunks, bytes);
    chunks = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(chunks, bytes);
}

/** Gives a file or a folder its final name, whole or not at all, and for good: see `syncFolder`. */
export async function publish(temporary: string, target: string): Promise<void> {
  const folder = dirname(target);
  const firstMade = await mkdir(folder, { recursive: true });
  await rename(temporary, target);
  await syncFolder(folder);
  if (!firstMade) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** A name is on disk only when its folder is synced, and so are the folders that were made for it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What a failed wish met: nothing under that name. */
export function isNotThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR';
}

const WRITING_CALLS = new Set(
  'open write writev fsync fdatasync rename mkdir unlink rm rmdir scandir opendir stat fstat access utime'.split(' '),
);

/** What the disk says becomes ours; what the content stream failed with stays as it is. */
export function asStoreFault(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new BlobStoreUnavailable('The store is full', { full: true, cause: error });
  }
  const fromDisk = syscall !== undefined && WRITING_CALLS.has(syscall);
  return fromDisk ? new BlobStoreUnavailable('The store cannot be written', { cause: error }) : error;
}
