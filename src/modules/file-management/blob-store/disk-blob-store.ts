import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BlobMissing, BlobStore, BlobStoreUnavailable, type ByteRange } from './blob-store.js';

const CHUNK_BYTES = 256 * 1024;
/** Uploads that receive nothing end after a minute, so what was not written for so long has no writer. */
const ABANDONED_AFTER_MS = 10 * 60_000;
const KEY = /^[0-9A-Za-z-]+(\/[0-9A-Za-z-]+)*$/;

/** Blobs as files in a folder. Written under a temporary name, synced, then renamed, which is atomic. */
export class DiskBlobStore extends BlobStore {
  private readonly blobs: string;
  private readonly arriving: string;

  constructor(folder: string) {
    super();
    this.blobs = join(folder, 'blobs');
    this.arriving = join(folder, 'arriving');
  }

  /** Makes the folders. What was arriving when a process died is no blob and goes; another process may still write its own. */
  async prepare(): Promise<void> {
    await mkdir(this.blobs, { recursive: true });
    await mkdir(this.arriving, { recursive: true });
    for (const name of await readdir(this.arriving)) {
      const file = join(this.arriving, name);
      const written = await stat(file).catch(() => undefined);
      if (written && Date.now() - written.mtimeMs > ABANDONED_AFTER_MS) await rm(file, { force: true });
    }
  }

  async put(key: string, content: Readable, sizeBytes: number): Promise<void> {
    const temporary = join(this.arriving, randomUUID());
    const file = createWriteStream(temporary, { flags: 'wx', flush: true, highWaterMark: CHUNK_BYTES });
    try {
      await pipeline(content, file);
      if (file.bytesWritten !== sizeBytes)
        throw new Error(`the content has ${file.bytesWritten} bytes, ${sizeBytes} were announced`);
      await this.publish(temporary, this.path(key));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw asStoreFault(error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    let handle: FileHandle;
    try {
      handle = await open(this.path(key), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new BlobMissing(key);
      throw asStoreFault(error);
    }
    return createReadStream('', { fd: handle, highWaterMark: CHUNK_BYTES, start: range?.start ?? 0, end: range?.end });
  }

  async remove(key: string): Promise<void> {
    await rm(this.path(key), { force: true }).catch((error: unknown) => {
      throw asStoreFault(error);
    });
  }

  async check(): Promise<void> {
    await access(this.blobs, constants.W_OK);
    await access(this.arriving, constants.W_OK);
  }

  /** The name is on disk only when its folder is synced, and so are the folders that were made for it. */
  private async publish(temporary: string, target: string): Promise<void> {
    const folder = dirname(target);
    const firstMade = await mkdir(folder, { recursive: true });
    await rename(temporary, target);
    await syncFolder(folder);
    if (!firstMade) return;
    for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
  }

  private path(key: string): string {
    if (!KEY.test(key)) throw new Error(`Not a blob key: ${key}`);
    return join(this.blobs, key);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What the disk says becomes ours; what the content stream failed with stays as it is. */
function asStoreFault(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new BlobStoreUnavailable('The store is full', { full: true, cause: error });
  }
  const fromDisk =
    syscall !== undefined &&
    ['open', 'write', 'writev', 'fsync', 'fdatasync', 'rename', 'mkdir', 'unlink', 'rm'].includes(syscall);
  return fromDisk ? new BlobStoreUnavailable('The store cannot be written', { cause: error }) : error;
}
