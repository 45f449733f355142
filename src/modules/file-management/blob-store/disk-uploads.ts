import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makePrivateFolder } from '../../../common/disk/private-files.js';
import { syncFolder } from '../../../common/disk/folders.js';
import { type Part, PartMismatch, UploadMissing } from './blob-store.js';
import { type Arrivals, isNotThere, isOutOfRoom, publish, receive, toStoreError } from './disk-files.js';
import { newest, partFile, partFiles, statOfParts } from './disk-parts.js';

const UPLOAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CLAIM = /^([0-9a-f-]{36})\.(\d+)\.[0-9a-f-]{36}$/;
/** Lifetime of a claim. A completion only renames and removes files; after this time its process is dead, or finds its claim released. */
const CLAIM_LIFETIME_MS = 10_000;

/**
 * Stores multipart uploads, each as a folder of parts. A completion renames the folder twice: to a claim under a secret name, then to
 * the blob. Nobody else can change or complete a claimed upload. The claim of a dead process is renamed back at the next start, or by
 * the next request after 10 s. If that process was only slow, its next step fails without harm, since its claim no longer exists.
 * Joining parts by copying would take minutes and twice the space.
 */
export class DiskUploads {
  private readonly uploads: string;
  private isStarted = false;

  constructor(
    folder: string,
    private readonly arrivals: Arrivals,
  ) {
    this.uploads = join(folder, 'parts');
  }

  async prepare(): Promise<void> {
    await makePrivateFolder(this.uploads);
    // Claims found at the start belong to dead processes. Later calls may run during a completion, so they check the age.
    const { isStarted } = this;
    this.isStarted = true;
    await this.releaseClaims((_, ageMs) => !isStarted || ageMs > CLAIM_LIFETIME_MS);
  }

  async check(): Promise<void> {
    await access(this.uploads, constants.W_OK);
  }

  async begin(): Promise<string> {
    const uploadId = randomUUID();
    await mkdir(join(this.uploads, uploadId)).catch(throwStoreError);
    await syncFolder(this.uploads).catch(throwStoreError);
    return uploadId;
  }

  async put(uploadId: string, { partNumber, sizeBytes }: Omit<Part, 'etag'>, content: Readable): Promise<string> {
    if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > 10_000) {
      throw new Error(`Not a part number: ${partNumber}`);
    }
    await this.within(uploadId, (folder) => access(folder));
    const md5 = createHash('md5');
    const path = await receive(this.arrivals, content, sizeBytes, md5);
    try {
      const etag = md5.digest('hex');
      await this.within(uploadId, (folder) => storePart(path, folder, { partNumber, sizeBytes, etag }));
      return etag;
    } finally {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }

  async list(uploadId: string): Promise<Part[]> {
    const names = await this.within(uploadId, (folder) => readdir(folder));
    return newest(partFiles(names)).map(({ partNumber, etag, sizeBytes }) => ({ partNumber, etag, sizeBytes }));
  }

  async complete(uploadId: string, parts: Pick<Part, 'partNumber' | 'etag'>[], target: string): Promise<string> {
    return this.within(uploadId, async (folder) => {
      const claim = join(this.uploads, `${uploadId}.${Date.now()}.${randomUUID()}`);
      await rename(folder, claim);
      try {
        const etag = await reduceTo(parts, claim);
        const now = new Date();
        await utimes(claim, now, now); // creation time of the blob, not of its last part
        await syncFolder(claim);
        await publish(claim, target);
        return etag;
      } catch (error) {
        await rename(claim, folder).catch(() => undefined);
        throw error;
      }
    });
  }

  async abort(uploadId: string): Promise<void> {
    const aside = join(this.arrivals.folder, randomUUID());
    try {
      await this.within(uploadId, (folder) => removeFolder(folder, aside));
    } catch (error) {
      if (!(error instanceof UploadMissing)) throw error;
    }
  }

  /** Runs `work` in the folder of an upload. If the folder is missing, releases the claim of a dead completion and retries. */
  private async within<T>(uploadId: string, work: (folder: string) => Promise<T>): Promise<T> {
    if (!UPLOAD_ID.test(uploadId)) throw new UploadMissing(uploadId);
    const folder = join(this.uploads, uploadId);
    try {
      return await work(folder);
    } catch (error) {
      if (!isNotThere(error)) throw toStoreError(error);
    }
    try {
      await this.releaseClaims((id, ageMs) => id === uploadId && ageMs > CLAIM_LIFETIME_MS);
      return await work(folder);
    } catch (error) {
      throw isNotThere(error) ? new UploadMissing(uploadId) : toStoreError(error);
    }
  }

  private async releaseClaims(isDead: (uploadId: string, ageMs: number) => boolean): Promise<void> {
    for (const name of await readdir(this.uploads)) {
      const [, uploadId, since] = CLAIM.exec(name) ?? [];
      if (uploadId === undefined || !isDead(uploadId, Math.abs(Date.now() - Number(since)))) continue;
      await rename(join(this.uploads, name), join(this.uploads, uploadId)).catch((error: unknown) => {
        if (!isNotThere(error)) throw error; // another process released the claim first
      });
    }
  }
}

/** Moves a part into the folder as its newest version, and removes the older ones. */
async function storePart(path: string, folder: string, part: Part): Promise<void> {
  const older = partFiles(await readdir(folder)).filter(({ partNumber }) => partNumber === part.partNumber);
  const version = older.reduce((highest, { version }) => Math.max(highest, version), 0) + 1;
  await rename(path, join(folder, partFile(part, version).name));
  await syncFolder(folder);
  for (const { name } of older) await rm(join(folder, name), { force: true });
}

/**
 * Removes all parts except the named ones, and returns the ETag of the blob.
 * @throws PartMismatch before anything is changed
 */
async function reduceTo(parts: Pick<Part, 'partNumber' | 'etag'>[], folder: string): Promise<string> {
  const names = await readdir(folder);
  const arrived = newest(partFiles(names));
  const etags = new Map(arrived.map(({ partNumber, etag }) => [partNumber, etag]));
  const wrong = parts.find(({ partNumber, etag }) => etags.get(partNumber) !== etag);
  if (wrong || parts.length === 0) throw new PartMismatch(wrong?.partNumber);
  const named = new Set(parts.map(({ partNumber }) => partNumber));
  const kept = arrived.filter(({ partNumber }) => named.has(partNumber));
  const keptNames = new Set(kept.map(({ name }) => name));
  for (const name of names) if (!keptNames.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  return statOfParts(kept).etag;
}

/** Removes a folder atomically by renaming it first, or in place if the disk is full. */
export async function removeFolder(folder: string, aside: string): Promise<void> {
  const removed = await rename(folder, aside).then(
    () => aside,
    (error: unknown) => {
      if (isOutOfRoom(error)) return folder;
      throw error;
    },
  );
  await rm(removed, { recursive: true, force: true });
}

function throwStoreError(error: unknown): never {
  throw toStoreError(error);
}
