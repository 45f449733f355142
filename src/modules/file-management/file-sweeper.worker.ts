import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Workers } from '../../common/workers/workers.js';
import { BlobStore } from './blob-store/blob-store.js';
import { pinnedOf, waitForKeepers } from './blob-pins.queries.js';
import { NO_CONTENT } from './file-row.js';
import { MultipartService } from './multipart.service.js';

const EVERY_MS = 15_000;
const BATCH = 500;
const PARALLEL = 16;
const DAY_MS = 24 * 60 * 60_000;
const KEEP_EXPIRED_MS = 30 * DAY_MS;
const KEEP_UPLOADS_MS = 7 * DAY_MS;
const LIST_PARTS_EVERY_MS = 5 * 60_000;
const LIST_PARTS_BATCH = 50;

/**
 * Removes the bytes of expired files within a minute, their rows 30 days later, and multipart uploads that were not
 * completed in 7 days. Bytes go before the row forgets them, so a crash in between loses no trace of them.
 */
@Injectable()
export class FileSweeper {
  constructor(
    private readonly prisma: PrismaService,
    private readonly blobs: BlobStore,
    private readonly multipart: MultipartService,
    private readonly config: Config,
    workers: Workers,
  ) {
    workers.add({ name: 'file-sweeper', everyMs: EVERY_MS, run: (signal) => this.sweep(signal) });
  }

  async sweep(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.sweepFiles(new Date())) === BATCH);
    while (!signal?.aborted && (await this.sweepUploads(new Date())) === BATCH);
    await this.countListedParts(new Date());
  }

  private async sweepFiles(now: Date): Promise<number> {
    const due = await this.prisma.file.findMany({
      where: { sweepAt: { lte: now } },
      select: { id: true, status: true, blobKey: true, expiresAt: true },
      orderBy: { sweepAt: 'asc' },
      take: BATCH,
    });
    const old = due.filter(({ status }) => status === 'expired').map(({ id }) => id);
    if (old.length > 0)
      await this.prisma.file.deleteMany({ where: { id: { in: old }, status: 'expired', sweepAt: { lte: now } } });
    const fresh = due.filter(({ status }) => status !== 'expired');
    await this.removeContents(fresh);
    for (const [time, ids] of byPurgeTime(fresh)) {
      await this.prisma.file.updateMany({
        where: { id: { in: ids }, sweepAt: { lte: now } },
        data: { ...WITHOUT_CONTENT, sweepAt: new Date(time) },
      });
    }
    return due.length;
  }

  /** What is held on to goes with its last holder. An expired file gets no more of them. */
  private async removeContents(files: { id: string; blobKey: string | null }[]): Promise<void> {
    const stored = files.filter(({ blobKey }) => blobKey !== null);
    const ids = stored.map(({ id }) => id);
    await waitForKeepers(this.prisma, this.config.isPostgres, ids);
    const keys = stored.map(({ blobKey }) => blobKey!);
    const pinned = await pinnedOf(this.prisma, keys);
    const free = keys.filter((key) => !pinned.has(key));
    await inParallel(free, (key) => this.blobs.remove(key));
  }

  private async sweepUploads(now: Date): Promise<number> {
    const due = await this.prisma.multipartUpload.findMany({
      where: { createdAt: { lte: new Date(now.getTime() - KEEP_UPLOADS_MS) } },
      orderBy: { createdAt: 'asc' },
      take: BATCH,
    });
    await inParallel(due, (upload) => this.multipart.remove(upload));
    return due.length;
  }

  /** What came to the store past us counts against its tenant too, at the latest from now on. */
  private async countListedParts(now: Date): Promise<void> {
    const due = await this.prisma.multipartUpload.findMany({
      where: { completedParts: null, partsListedAt: { not: null, lte: new Date(now.getTime() - LIST_PARTS_EVERY_MS) } },
      orderBy: { partsListedAt: 'asc' },
      take: LIST_PARTS_BATCH,
    });
    await inParallel(due, (upload) => this.multipart.countListed(upload));
  }
}

const WITHOUT_CONTENT = {
  status: 'expired',
  ...NO_CONTENT,
  errorCode: null,
  errorMessage: null,
} as const;

/** Rows are kept 30 days after their own end, to the minute, so that one statement serves many. */
function byPurgeTime(rows: { id: string; expiresAt: Date | null }[]): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { id, expiresAt } of rows) {
    const time = Math.ceil(((expiresAt?.getTime() ?? 0) + KEEP_EXPIRED_MS) / 60_000) * 60_000;
    groups.set(time, [...(groups.get(time) ?? []), id]);
  }
  return groups;
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = [...items];
  const lanes = Array.from({ length: PARALLEL }, async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
  });
  await Promise.all(lanes);
}
