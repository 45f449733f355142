import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { fileChange, shownFile } from '../file-storage/file-events.js';
import { BlobStore, type StoredBlob } from '../blob-store/blob-store.js';
import { pinnedOf } from '../file-storage/blob-pins.queries.js';
import { correctUsage, readUsageErrors } from './usage-errors.queries.js';
import { fileIdOfKey, NO_CONTENT } from '../file-storage/file-row.js';

const FILES_PER_STATEMENT = 500;
/** Minimum age of an orphaned blob to remove. A blob is stored before its row refers to it, and no upload takes this long. */
const DEFAULT_MIN_AGE_SECONDS = 24 * 60 * 60;

export interface ReconcileOptions {
  /** Reports without changing anything. */
  dryRun: boolean;
  /** Minimum age of blobs to remove. Younger ones may belong to a running upload. */
  minAgeSeconds?: number;
}

export interface Reconciliation {
  /** Keys of blobs without a file or a pin. */
  orphanedBlobs: string[];
  /** Keys of orphaned blobs under `minAgeSeconds`, which are not removed. */
  youngBlobs: string[];
  /** Ids of files whose content is missing from the store. */
  lostContents: string[];
  /** Tenants whose storageUsed differed from the sum of their files. */
  wrongUsage: string[];
}

/**
 * Compares store, files and usage, and repairs differences after crashes. Removes blobs without a row, marks files without a blob as
 * failed, and corrects usage. Can run while the service runs.
 */
@Injectable()
export class FileReconciliationService {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly outbox: EventOutbox,
  ) {
    this.everyTenant = database.acrossTenants('an operator’s command compares every file and blob');
  }

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
    const wrongUsage = await readUsageErrors(this.database);
    if (!dryRun) for (const tenantId of wrongUsage) await correctUsage(this.database, tenantId);
    return { orphanedBlobs, youngBlobs, lostContents, wrongUsage };
  }

  private async orphansOf(blobs: StoredBlob[]): Promise<StoredBlob[]> {
    const keys = blobs.map(({ key }) => key);
    const rows = await this.everyTenant.file.findMany({
      where: { id: { in: keys.map(fileIdOfKey) } },
      select: { blobKey: true },
    });
    // Some stores date a joined blob from the start of its upload, so age says nothing about a blob with an open upload.
    const uploads = await this.everyTenant.multipartUpload.findMany({
      where: { blobKey: { in: keys }, completedParts: null },
      select: { blobKey: true },
    });
    const named = new Set([...rows, ...uploads].map(({ blobKey }) => blobKey));
    const unnamed = keys.filter((key) => !named.has(key));
    // Queried after the files, since pins are created only while a file refers to the blob.
    const pinned = await pinnedOf(this.database, unnamed);
    return blobs.filter(({ key }) => !named.has(key) && !pinned.has(key));
  }

  private async findLostContents(dryRun: boolean): Promise<string[]> {
    const lost: string[] = [];
    for (let after = ''; ;) {
      const rows = await this.everyTenant.file.findMany({
        where: { id: { gt: after }, blobKey: { not: null }, ...unexpired() },
        select: { id: true, tenantId: true, blobKey: true },
        orderBy: { id: 'asc' },
        take: FILES_PER_STATEMENT,
      });
      for (const { id, tenantId, blobKey } of rows) {
        if (await this.blobs.stat(blobKey!)) continue;
        // Queried again, since the content may have been replaced or the file expired.
        if (!(await this.everyTenant.file.findFirst({ where: { id, blobKey, ...unexpired() } }))) continue;
        lost.push(id);
        if (!dryRun) await this.markLost({ id, tenantId, blobKey });
      }
      if (rows.length < FILES_PER_STATEMENT) return lost;
      after = rows.at(-1)!.id;
    }
  }

  private async markLost({ id, tenantId, blobKey }: { id: string; tenantId: string; blobKey: string | null }): Promise<void> {
    await this.outbox.change(
      fileChange(tenantId, 'FILE_FAILED'),
      (own) => own.file.updateManyAndReturn({ where: { id, blobKey }, data: LOST }),
      ([row]) => row && shownFile(row),
    );
  }
}

/** Excludes expired files. The expiry job removes their content before it updates the row. */
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
    if (batch.length < FILES_PER_STATEMENT) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
