import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { BlobStore, type StoredBlob } from './blob-store/blob-store.js';
import { pinnedOf } from './blob-pins.queries.js';
import { correctUsage, readUsageErrors } from './files.queries.js';
import { fileIdOfKey, NO_CONTENT } from './file-row.js';

const BATCH = 500;
/** A blob exists before its row names it; no upload takes longer than that between the two. */
const DEFAULT_MIN_AGE_SECONDS = 24 * 60 * 60;

export interface ReconcileOptions {
  /** Reports and changes nothing. */
  dryRun: boolean;
  /** Blobs that are younger may belong to an upload that is under way. */
  minAgeSeconds?: number;
}

export interface Reconciliation {
  /** Blobs that no file names and nobody holds on to. */
  orphanedBlobs: string[];
  /** The same, but younger than `minAgeSeconds`, and left alone. */
  youngBlobs: string[];
  /** Ids of files whose content is not in the store. */
  lostContents: string[];
  /** Tenants whose storageUsed was not the sum of their files. */
  wrongUsage: string[];
}

/**
 * Compares store, files and usage with each other and mends what a crash between them left: blobs without a row go, rows
 * without a blob say so, and usage becomes the sum of the files. Safe while the service runs.
 */
@Injectable()
export class FileReconcilerService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly blobs: BlobStore,
    private readonly config: Config,
  ) {}

  async reconcile({ dryRun, minAgeSeconds = DEFAULT_MIN_AGE_SECONDS }: ReconcileOptions): Promise<Reconciliation> {
    if (!dryRun) await this.blobs.prepare();
    const youngest = Date.now() - minAgeSeconds * 1000;
    const orphanedBlobs: string[] = [];
    const youngBlobs: string[] = [];
    for await (const batch of inBatches(this.blobs.list())) {
      for (const { key, modifiedAt } of await this.orphansOf(batch)) {
        (modifiedAt.getTime() <= youngest ? orphanedBlobs : youngBlobs).push(key);
      }
    }
    if (!dryRun) for (const key of orphanedBlobs) await this.blobs.remove(key);
    const lostContents = await this.findLostContents(dryRun);
    const wrongUsage = await readUsageErrors(this.prisma, this.config.isPostgres);
    if (!dryRun) for (const tenantId of wrongUsage) await correctUsage(this.prisma, tenantId, this.config.isPostgres);
    return { orphanedBlobs, youngBlobs, lostContents, wrongUsage };
  }

  private async orphansOf(blobs: StoredBlob[]): Promise<StoredBlob[]> {
    const keys = blobs.map(({ key }) => key);
    const rows = await this.prisma.file.findMany({ where: { id: { in: keys.map(fileIdOfKey) } }, select: { blobKey: true } });
    // A store may date a blob of parts from the beginning of its upload, so an upload that is not completed counts as young.
    const uploads = await this.prisma.multipartUpload.findMany({
      where: { blobKey: { in: keys }, completedParts: null },
      select: { blobKey: true },
    });
    const named = new Set([...rows, ...uploads].map(({ blobKey }) => blobKey));
    const unnamed = keys.filter((key) => !named.has(key));
    // After the files, which a pin is only made under.
    const pinned = await pinnedOf(this.prisma, unnamed);
    return blobs.filter(({ key }) => !named.has(key) && !pinned.has(key));
  }

  private async findLostContents(dryRun: boolean): Promise<string[]> {
    const lost: string[] = [];
    for (let after = ''; ;) {
      const rows = await this.prisma.file.findMany({
        where: { id: { gt: after }, blobKey: { not: null }, ...unexpired() },
        select: { id: true, blobKey: true },
        orderBy: { id: 'asc' },
        take: BATCH,
      });
      for (const { id, blobKey } of rows) {
        if (await this.blobs.stat(blobKey!)) continue;
        // Looked at again: an upload may have replaced the content between the two looks, or the file may have expired.
        if (!(await this.prisma.file.findFirst({ where: { id, blobKey, ...unexpired() } }))) continue;
        lost.push(id);
        if (!dryRun) await this.prisma.file.updateMany({ where: { id, blobKey }, data: LOST });
      }
      if (rows.length < BATCH) return lost;
      after = rows.at(-1)!.id;
    }
  }
}

/** Of expired files the sweeper removes the bytes before the row forgets them, so those are not lost. */
const unexpired = () => ({ OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] });

const LOST = {
  status: 'error',
  errorCode: 'NOT_FOUND',
  errorMessage: 'The content is missing from the store; upload it again',
  ...NO_CONTENT,
} as const;

async function* inBatches(blobs: AsyncIterable<StoredBlob>): AsyncIterable<StoredBlob[]> {
  let batch: StoredBlob[] = [];
  for await (const blob of blobs) {
    batch.push(blob);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
