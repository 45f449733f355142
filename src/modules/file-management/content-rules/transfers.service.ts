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

/** Inverse of a tenant's share of the slots, for uploads and for downloads. */
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
 * Limits concurrent transfers of this process. Each holds a connection and a file, or a connection to the store. Each tenant gets a
 * share of the slots, so that many slow connections of one do not block others. Aborts a transfer whose average falls under 1 KiB/s
 * after the first minute.
 */
@Injectable()
export class Transfers implements OnModuleInit, OnModuleDestroy {
  /** Mutable for tests. */
  slots = transfersByOpenFiles();
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
      if (this.open.size >= this.slots) throw new Degraded('all transfer slots are in use');
    });
  }

  onModuleInit(): void {
    this.stopChecking = everySecond(() => this.abortSlow());
  }

  onModuleDestroy(): void {
    this.stopChecking?.();
  }

  /** Meters an upload, and holds a slot until the meter is destroyed. @throws SERVICE_UNAVAILABLE if no slot is free */
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
   * Opens content for a download, and holds a slot until it is closed. Returns undefined for missing content.
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
    // Paused until a reader pipes the stream, since a data listener alone would start the flow.
    content?.on('data', (chunk: Buffer) => (transfer.bytes += chunk.length)).pause();
    return content?.once('close', () => {
      this.end(transfer);
      this.metrics.contentBytes.inc({ direction: 'out' }, transfer.bytes);
    });
  }

  private begin(tenantId: string, direction: Direction, stop: Transfer['stop']): Transfer {
    const owner = `${direction} ${tenantId}`;
    const held = this.heldBy.get(owner) ?? 0;
    const share = Math.max(Math.floor(this.slots / SHARES), 1);
    const what = direction === 'in' ? 'uploads' : 'downloads';
    if (held >= share) throw noSlot(`The tenant has ${held} ${what} in progress on this node, the maximum`);
    if (this.open.size >= this.slots) throw noSlot('All transfer slots of this node are in use');
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

  private abortSlow(): void {
    const now = performance.now();
    for (const { beganMs, bytes, stop } of this.open) {
      const elapsedMs = now - beganMs;
      if (elapsedMs > this.graceMs && bytes < (this.leastBytesPerSecond * elapsedMs) / 1000) stop(this.tooSlow());
    }
  }

  private tooSlow(): AppError {
    const message =
      `The transfer averaged under ${this.leastBytesPerSecond} bytes a second after its first ${this.graceMs / 1000} s; ` +
      'send the file again on a faster connection, or in parts';
    return new AppError('BAD_REQUEST', message, { status: 408 });
  }
}

const noSlot = (why: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', `${why}; retry when one has finished`, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
