import type { Readable } from 'node:stream';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../../../common/base/app-error.js';
import { Degraded, Readiness } from '../../../common/health/readiness.js';
import { transfersByOpenFiles } from '../../../common/http/open-files.js';
import { everySecond } from '../../../common/scheduling/every-second.js';
import { ContentMeter } from './content-meter.js';
import { FileMetrics } from './file-metrics.js';
import type { FirstBytes } from './first-bytes.js';
import { LEAST_BYTES_PER_SECOND } from '../models/limits.js';

/** A tenant gets a quarter of the slots for transfers for its uploads, and a quarter for its downloads. */
const SHARES = 4;
const RETRY_AFTER_SECONDS = 2;

type Direction = 'in' | 'out';

interface Transfer {
  owner: string;
  beganMs: number;
  bytes: number;
  stop: (error: AppError) => void;
}

/**
 * Limits the concurrent transfers of this process, each of which holds a connection and a file, or a connection to the store. A
 * tenant gets a share of the slots, so that others are served even if it opens many slow connections. A transfer that is slower
 * than 1 KiB/s on average after its first minute is ended.
 */
@Injectable()
export class Transfers implements OnModuleInit, OnModuleDestroy {
  /** Fields, which tests set to low values. */
  places = transfersByOpenFiles();
  leastBytesPerSecond = LEAST_BYTES_PER_SECOND;
  graceMs = 60_000;
  private readonly open = new Set<Transfer>();
  private readonly heldBy = new Map<string, number>();
  private stopChecking?: () => void;

  constructor(
    private readonly metrics: FileMetrics,
    readiness: Readiness,
  ) {
    readiness.add('transfers', 'file-management', async () => {
      if (this.open.size >= this.places) throw new Degraded('all places of uploads and downloads are taken');
    });
  }

  onModuleInit(): void {
    this.stopChecking = everySecond(() => this.endSlow());
  }

  onModuleDestroy(): void {
    this.stopChecking?.();
  }

  /**
   * Meters content that a client sends, and holds a slot until the meter is destroyed.
   * @throws SERVICE_UNAVAILABLE if no slot is free
   */
  receive(
    tenantId: string,
    content: Readable,
    options: { ask: () => void; hashed?: boolean; first?: FirstBytes | undefined },
  ): ContentMeter {
    const transfer = this.begin(tenantId, 'in', (error) => meter.destroy(error));
    const meter = new ContentMeter(
      content,
      (count) => {
        transfer.bytes += count;
        this.metrics.contentBytes.inc({ direction: 'in' }, count);
      },
      options,
    );
    meter.once('close', () => this.end(transfer));
    return meter;
  }

  /**
   * Opens content for a reader, if it exists, and holds a slot until it is closed.
   * @throws SERVICE_UNAVAILABLE if no slot is free
   */
  async send(tenantId: string, open: () => Promise<Readable | undefined>): Promise<Readable | undefined> {
    let content: Readable | undefined;
    const transfer = this.begin(tenantId, 'out', (error) => content?.destroy(error));
    try {
      content = await open();
    } finally {
      if (!content) this.end(transfer);
    }
    // Paused until a reader pipes the stream: the listener that counts would otherwise let the first bytes flow without a reader.
    content?.on('data', (chunk: Buffer) => (transfer.bytes += chunk.length)).pause();
    return content?.once('close', () => {
      this.end(transfer);
      this.metrics.contentBytes.inc({ direction: 'out' }, transfer.bytes);
    });
  }

  private begin(tenantId: string, direction: Direction, stop: Transfer['stop']): Transfer {
    const owner = `${direction} ${tenantId}`;
    const held = this.heldBy.get(owner) ?? 0;
    const share = Math.max(Math.floor(this.places / SHARES), 1);
    const what = direction === 'in' ? 'uploads' : 'downloads';
    if (held >= share) throw noPlace(`${held} ${what} of the tenant are under way on this node, as many as it may have`);
    if (this.open.size >= this.places) throw noPlace('This node has as many uploads and downloads as it may have');
    const transfer = { owner, beganMs: performance.now(), bytes: 0, stop };
    this.heldBy.set(owner, held + 1);
    this.open.add(transfer);
    return transfer;
  }

  private end(transfer: Transfer): void {
    if (!this.open.delete(transfer)) return;
    const left = this.heldBy.get(transfer.owner)! - 1;
    if (left > 0) this.heldBy.set(transfer.owner, left);
    else this.heldBy.delete(transfer.owner);
  }

  private endSlow(): void {
    const now = performance.now();
    for (const { beganMs, bytes, stop } of this.open) {
      const elapsedMs = now - beganMs;
      if (elapsedMs > this.graceMs && bytes < (this.leastBytesPerSecond * elapsedMs) / 1000) stop(this.tooSlow());
    }
  }

  private tooSlow(): AppError {
    const message =
      `After ${this.graceMs / 1000} s fewer than ${this.leastBytesPerSecond} bytes a second have arrived on average; ` +
      'send the file again on a faster line, or in parts';
    return new AppError('BAD_REQUEST', message, { status: 408 });
  }
}

const noPlace = (why: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', `${why}; try again when one has ended`, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
