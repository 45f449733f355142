import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { inParallel } from '../../../common/scheduling/concurrency.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import type { FileUpdateManyArgs } from '../../../generated/sqlite/models.js';
import { fileChange, shownFile } from '../file-storage/file-events.js';
import { BlobStore } from '../blob-store/blob-store.js';
import { pinnedOf, waitForSharedLocks } from '../file-storage/blob-pins.queries.js';
import { NO_CONTENT } from '../file-storage/file-row.js';
import { MultipartService } from '../multipart/multipart.service.js';
import { KEEP_UPLOADS_MS } from '../models/limits.js';

const EVERY_MS = 15_000;
const ROWS_PER_STATEMENT = 500;
const PARALLEL = 16;
const DAY_MS = 24 * 60 * 60_000;
const KEEP_EXPIRED_MS = 30 * DAY_MS;
const LIST_PARTS_EVERY_MS = 5 * 60_000;
const LIST_PARTS_BATCH = 50;

const isDue = (dialect: Dialect): Sql => {
  const now = Date.now();
  return sql`EXISTS (SELECT 1 FROM "File" WHERE "sweepAt" <= ${dialect.time(new Date(now))})
    OR EXISTS (SELECT 1 FROM "MultipartUpload" WHERE "createdAt" <= ${dialect.time(new Date(now - KEEP_UPLOADS_MS))})
    OR EXISTS (SELECT 1 FROM "MultipartUpload" WHERE "completedParts" IS NULL AND "partsListedAt" IS NOT NULL
      AND "partsListedAt" <= ${dialect.time(new Date(now - LIST_PARTS_EVERY_MS))})`;
};

/**
 * Removes the content of expired files within a minute, their rows 30 days later, and multipart uploads not completed within 7 days.
 * Content goes first, so that after a crash the row still refers to it.
 */
@Injectable()
export class FileExpiry {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly multipart: MultipartService,
    private readonly outbox: EventOutbox,
    jobs: BackgroundJobs,
  ) {
    this.everyTenant = database.acrossTenants('the expiry of files works for every tenant');
    jobs.add({ name: 'file-expiry', everyMs: EVERY_MS, due: isDue, run: (signal) => this.expire(signal) });
  }

  async expire(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.expireFiles(new Date())) === ROWS_PER_STATEMENT);
    while (!signal?.aborted && (await this.expireUploads(new Date())) === ROWS_PER_STATEMENT);
    await this.countListedParts(new Date());
  }

  /** Expires up to 500 due files, and returns their number. */
  async expireFiles(now: Date): Promise<number> {
    const due = await this.everyTenant.file.findMany({
      where: { sweepAt: { lte: now } },
      select: { id: true, tenantId: true, status: true, blobKey: true, expiresAt: true },
      orderBy: { sweepAt: 'asc' },
      take: ROWS_PER_STATEMENT,
    });
    const old = due.filter(({ status }) => status === 'expired').map(({ id }) => id);
    if (old.length > 0)
      await this.everyTenant.file.deleteMany({ where: { id: { in: old }, status: 'expired', sweepAt: { lte: now } } });
    const fresh = due.filter(({ status }) => status !== 'expired');
    await this.removeContents(fresh);
    for (const [time, ids] of byPurgeTime(fresh)) {
      const change = {
        where: { id: { in: ids }, sweepAt: { lte: now } },
        data: { ...WITHOUT_CONTENT, sweepAt: new Date(time) },
      };
      if (fresh.some(({ tenantId }) => this.outbox.wants(tenantId, 'file-management', EXPIRED)))
        await this.expireWithEvents(change);
      else await this.everyTenant.file.updateMany(change);
    }
    return due.length;
  }

  private async expireWithEvents(change: FileUpdateManyArgs): Promise<void> {
    await this.everyTenant.$transaction(async (transaction) => {
      const rows = await transaction.file.updateManyAndReturn(change);
      const events = rows.map((row) => ({ ...fileChange(row.tenantId, EXPIRED), ...shownFile(row) }));
      await this.outbox.store(transaction, events);
    });
  }

  /** Removes the blobs of expired files, except pinned ones, which the last holder removes. Expired files get no new pins. */
  private async removeContents(files: { id: string; blobKey: string | null }[]): Promise<void> {
    const stored = files.filter(({ blobKey }) => blobKey !== null);
    if (stored.length === 0) return;
    const ids = stored.map(({ id }) => id);
    await waitForSharedLocks(this.database, ids);
    const keys = stored.map(({ blobKey }) => blobKey!);
    const pinned = await pinnedOf(this.database, keys);
    const unpinned = keys.filter((key) => !pinned.has(key));
    await inParallel(unpinned, PARALLEL, (key) => this.blobs.remove(key));
  }

  /** Removes uploads not completed in time, and returns their number. */
  private async expireUploads(now: Date): Promise<number> {
    const due = await this.everyTenant.multipartUpload.findMany({
      where: { createdAt: { lte: new Date(now.getTime() - KEEP_UPLOADS_MS) } },
      orderBy: { createdAt: 'asc' },
      take: ROWS_PER_STATEMENT,
    });
    await inParallel(due, PARALLEL, (upload) => this.multipart.remove(upload));
    return due.length;
  }

  /** Counts parts sent directly to the store against the tenants' limits, every 5 minutes. */
  private async countListedParts(now: Date): Promise<void> {
    const due = await this.everyTenant.multipartUpload.findMany({
      where: { completedParts: null, partsListedAt: { not: null, lte: new Date(now.getTime() - LIST_PARTS_EVERY_MS) } },
      orderBy: { partsListedAt: 'asc' },
      take: LIST_PARTS_BATCH,
    });
    await inParallel(due, PARALLEL, (upload) => this.multipart.countListed(upload));
  }
}

const EXPIRED = 'FILE_EXPIRED';

const WITHOUT_CONTENT = {
  status: 'expired',
  ...NO_CONTENT,
  errorCode: null,
  errorMessage: null,
} as const;

/** Groups rows by the minute of their removal, 30 days after expiry, so that one statement updates a group. */
function byPurgeTime(rows: { id: string; expiresAt: Date | null }[]): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { id, expiresAt } of rows) {
    const time = Math.ceil(((expiresAt?.getTime() ?? 0) + KEEP_EXPIRED_MS) / 60_000) * 60_000;
    groups.set(time, [...(groups.get(time) ?? []), id]);
  }
  return groups;
}
