import { type Hash, randomUUID } from 'node:crypto';
import { createWriteStream, fdatasync, type WriteStream } from 'node:fs';
import { link, mkdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { closedFile } from '../../../common/disk/private-files.js';
import type { DiskClaim, DiskSpace } from '../../../common/disk/disk-space.js';
import { syncFolder } from '../../../common/disk/folders.js';
import { BlobStoreUnavailable } from './blob-store.js';

export const CHUNK_BYTES = 256 * 1024;

/** Size of the write buffer, in which content collects while the disk is busy. */
const BUFFER_BYTES = 256 * 1024;
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;

/** Folder for uploads in progress, and its free space. */
export interface Arrivals {
  folder: string;
  space: DiskSpace;
}

/**
 * Streams content to a temporary file, feeds `digest` and syncs the file. A failure leaves no file. Rejects content larger than the
 * free space before reading it. Removes the file if the space runs out during the upload.
 */
export async function receive(arrivals: Arrivals, content: Readable, sizeBytes: number, digest?: Hash): Promise<string> {
  const abandon = () => file.destroy(storeIsFull()); // called only after bytes have arrived, when `file` is set
  const claim = await claimRoom(arrivals, sizeBytes, abandon).catch((error: unknown) => {
    content.destroy();
    throw error;
  });
  const path = join(arrivals.folder, randomUUID());
  const file: WriteStream = createWriteStream(path, { flags: 'wx', flush: true, highWaterMark: BUFFER_BYTES });
  content.on('data', (chunk: Buffer) => {
    if (!claim.take(chunk.length)) file.destroy(storeIsFull());
  });
  try {
    const synced = syncOnTheWay(content, file);
    await (digest ? pipeline(content, tapped(digest), file) : pipeline(content, file)).finally(() => closedFile(file));
    await synced();
    if (file.bytesWritten !== sizeBytes) throw new Error(`the content has ${file.bytesWritten} bytes, expected ${sizeBytes}`);
    return path;
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw toStoreError(error);
  } finally {
    claim.end();
  }
}

async function claimRoom({ space }: Arrivals, sizeBytes: number, abandon: () => void): Promise<DiskClaim> {
  const claim = await space.claim(sizeBytes, abandon).catch((error: unknown) => {
    throw toStoreError(error);
  });
  if (!claim) throw storeIsFull();
  return claim;
}

/**
 * Syncs the file during the upload, so that the last sync is short. The kernel reports a failed write to only one sync, so the
 * returned function rejects with the first error of any.
 */
function syncOnTheWay(content: Readable, file: WriteStream): () => Promise<void> {
  let unsyncedBytes = 0;
  let syncing: Promise<void> | undefined;
  let failure: NodeJS.ErrnoException | undefined;
  const sync = (fd: number) =>
    new Promise<void>((done) => {
      fdatasync(fd, (error) => {
        if (error && error.code !== 'EBADF') failure ??= error; // EBADF: closing the file has synced it
        syncing = undefined;
        done();
      });
    });
  content.on('data', (chunk: Buffer) => {
    unsyncedBytes += chunk.length;
    const { fd } = file as WriteStream & { fd: number | null };
    if (syncing || fd === null || unsyncedBytes < SYNC_EVERY_BYTES) return;
    unsyncedBytes = 0;
    syncing = sync(fd);
  });
  return async () => {
    await syncing;
    if (failure) throw failure;
  };
}

function tapped(digest: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
}

/** Error codes of file systems without hard links, or with too many links to the file. */
const NO_LINKS = new Set(['EPERM', 'EMLINK', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']);

/** Returns true if the file system refused a hard link, so that the content must be copied. */
export const hasNoLinks = (error: unknown): boolean => NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '');

/**
 * Adds a hard link to the file of a blob. Blobs are immutable, so both can share content. Sets the modification time to now, since
 * the daily reconciliation removes old blobs without a row.
 */
export async function linkFile(source: string, temporary: string): Promise<void> {
  await link(source, temporary);
  const now = new Date();
  await utimes(temporary, now, now);
}

/** Renames a file or folder to its final name atomically, and syncs the parent folder. */
export async function publish(temporary: string, target: string): Promise<void> {
  const folder = dirname(target);
  const firstMade = await mkdir(folder, { recursive: true });
  await rename(temporary, target);
  await syncFolder(folder);
  if (!firstMade) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Returns true if a call failed because the path does not exist. */
export function isNotThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR';
}

const DISK_CALLS = new Set(
  'open link write writev fsync fdatasync rename mkdir unlink rm rmdir scandir opendir stat statfs fstat access utime'.split(' '),
);

/** Translates disk errors to BlobStore errors. Returns errors of the content stream unchanged. */
export function toStoreError(error: unknown): unknown {
  if (isOutOfRoom(error)) return storeIsFull(error);
  const { syscall } = error as NodeJS.ErrnoException;
  const fromDisk = syscall !== undefined && DISK_CALLS.has(syscall);
  return fromDisk ? new BlobStoreUnavailable('The store cannot be written', { cause: error }) : error;
}

export function isOutOfRoom(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

function storeIsFull(cause?: unknown): BlobStoreUnavailable {
  return new BlobStoreUnavailable('The store is full', { full: true, cause });
}
