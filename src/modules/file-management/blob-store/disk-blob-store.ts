import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, type FileHandle, open, opendir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { makePrivateFolder } from '../../../common/disk/private-files.js';
import { BlobMissing, type BlobStat, BlobStore, type ByteRange, type Part, type StoredBlob } from './blob-store.js';
import { type Arrivals, toStoreError, CHUNK_BYTES, hasNoLinks, isNotThere, linkFile, publish, receive } from './disk-files.js';
import { linkParts, type PartFile, partFiles, readParts, statOfParts } from './disk-parts.js';
import { DiskUploads, removeFolder } from './disk-uploads.js';

/** Age of a temporary file from which its writer counts as dead. A stalled upload is aborted after one minute. */
const ABANDONED_AFTER_MS = 10 * 60_000;
const KEY = /^[0-9A-Za-z-]+(\/[0-9A-Za-z-]+)*$/;

/**
 * Stores blobs in a folder. Each is written under a temporary name, synced and renamed atomically. A multipart blob is a folder of
 * its parts, so completing an upload copies no content.
 */
export class DiskBlobStore extends BlobStore {
  private readonly blobs: string;
  private readonly arriving: string;
  private readonly arrivals: Arrivals;
  private readonly uploads: DiskUploads;

  constructor(folder: string) {
    super();
    this.blobs = join(folder, 'blobs');
    this.arriving = join(folder, 'arriving');
    this.arrivals = { folder: this.arriving, space: new DiskSpace(this.arriving) };
    this.uploads = new DiskUploads(folder, this.arrivals);
  }

  /** Creates the folders, and removes temporary files of dead writers. Other processes may still be writing. */
  async prepare(): Promise<void> {
    await makePrivateFolder(this.blobs);
    await makePrivateFolder(this.arriving);
    await this.uploads.prepare();
    for (const name of await readdir(this.arriving)) {
      const path = join(this.arriving, name);
      const written = await stat(path).catch(() => undefined);
      if (written && Date.now() - written.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
    }
  }

  async put(key: string, content: Readable, sizeBytes: number): Promise<void> {
    const target = this.path(key);
    const temporary = await receive(this.arrivals, content, sizeBytes);
    try {
      await publish(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw toStoreError(error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const path = this.path(key);
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'r');
      if ((await handle.stat()).isFile()) {
        return createReadStream('', { fd: handle, highWaterMark: CHUNK_BYTES, start: range?.start ?? 0, end: range?.end });
      }
      await handle.close();
      return readParts(key, path, { files: await this.partsOf(key), range });
    } catch (error) {
      await handle?.close().catch(() => undefined);
      throw isNotThere(error) ? new BlobMissing(key) : toStoreError(error);
    }
  }

  /** Creates hard links, or copies the content on a file system without them. */
  async copy(from: string, to: string): Promise<void> {
    const [source, target] = [this.path(from), this.path(to)];
    let temporary = join(this.arriving, randomUUID());
    try {
      if ((await stat(source)).isDirectory()) await linkParts(await this.partsOf(from), source, temporary);
      else await linkFile(source, temporary);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
      if (isNotThere(error) || error instanceof BlobMissing) throw new BlobMissing(from);
      if (!hasNoLinks(error)) throw toStoreError(error);
      temporary = await this.copied(from);
    }
    await publish(temporary, target).catch(async (error: unknown) => {
      await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
      throw toStoreError(error);
    });
  }

  private async copied(key: string): Promise<string> {
    const found = await this.stat(key);
    if (!found) throw new BlobMissing(key);
    return receive(this.arrivals, await this.open(key), found.sizeBytes);
  }

  async stat(key: string): Promise<BlobStat | undefined> {
    try {
      const found = await stat(this.path(key));
      if (found.isDirectory()) return statOfParts(await this.partsOf(key));
      return { sizeBytes: found.size, etag: `${found.size.toString(16)}-${Math.trunc(found.mtimeMs).toString(16)}` };
    } catch (error) {
      if (isNotThere(error) || error instanceof BlobMissing) return undefined;
      throw toStoreError(error);
    }
  }

  /** Removes a blob. A folder of parts is renamed first, so that a crash leaves no partial blob. */
  async remove(key: string): Promise<void> {
    const path = this.path(key);
    try {
      if ((await stat(path)).isDirectory()) {
        await this.partsOf(key);
        await removeFolder(path, join(this.arriving, randomUUID()));
      } else await rm(path, { force: true });
    } catch (error) {
      if (!isNotThere(error) && !(error instanceof BlobMissing)) throw toStoreError(error);
    }
  }

  async check(): Promise<void> {
    await access(this.blobs, constants.W_OK);
    await access(this.arriving, constants.W_OK);
    await this.uploads.check();
  }

  async *list(folder = ''): AsyncGenerator<StoredBlob> {
    try {
      for await (const key of this.walk(folder)) {
        const found = await stat(this.path(key)).catch(() => undefined);
        if (found) yield { key, modifiedAt: found.mtime };
      }
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async removeFolder(folder: string): Promise<void> {
    const path = this.path(folder);
    try {
      for (const entry of await readdir(path, { withFileTypes: true })) {
        if (entry.isDirectory()) await this.removeFolder(`${folder}/${entry.name}`);
      }
      await rmdir(path);
    } catch (error) {
      if (!isNotThere(error)) throw toStoreError(error);
    }
  }

  async beginMultipart(key: string): Promise<string> {
    this.path(key);
    return this.uploads.begin();
  }

  async putPart(key: string, uploadId: string, part: Omit<Part, 'etag'>, content: Readable): Promise<string> {
    this.path(key);
    return this.uploads.put(uploadId, part, content);
  }

  async listParts(key: string, uploadId: string): Promise<Part[]> {
    this.path(key);
    return this.uploads.list(uploadId);
  }

  async completeMultipart(key: string, uploadId: string, parts: Pick<Part, 'partNumber' | 'etag'>[]): Promise<string> {
    return this.uploads.complete(uploadId, parts, this.path(key));
  }

  async abortMultipart(key: string, uploadId: string): Promise<void> {
    this.path(key);
    return this.uploads.abort(uploadId);
  }

  async presignedPartUrl(): Promise<undefined> {
    return undefined;
  }

  async presignedDownloadUrl(): Promise<undefined> {
    return undefined;
  }

  /** Returns the parts of a multipart blob. @throws BlobMissing for a folder without parts, which only contains other blobs */
  private async partsOf(key: string): Promise<PartFile[]> {
    const files = partFiles((await readdir(this.path(key))).sort());
    if (files.length === 0) throw new BlobMissing(key);
    return files;
  }

  private async *walk(prefix: string): AsyncGenerator<string> {
    const folder = await opendir(join(this.blobs, prefix)).catch((error: unknown) => {
      if (!isNotThere(error)) throw error; // removed since the folder was listed
    });
    for await (const entry of folder ?? []) {
      const key = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) yield* this.walk(key);
      else if (KEY.test(key)) yield key;
      else if (partFiles([entry.name]).length > 0) return yield prefix;
    }
  }

  private path(key: string): string {
    if (!KEY.test(key)) throw new Error(`Not a blob key: ${key}`);
    return join(this.blobs, key);
  }
}
