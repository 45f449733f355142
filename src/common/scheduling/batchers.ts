import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../base/database-faults.js';
import { Metrics } from '../metrics/metrics.js';
import { Batcher, type BatcherOptions } from './batcher.js';

/**
 * Options of writes with waiting callers. They end within the 12 s after which a slow database is reported, and after a failed batch
 * each item is tried alone. A batch begins once the previous one has ended, or after 5 ms. Batches thus collect items if commits are
 * fast, and run concurrently if commits are slow.
 */
export const WRITES = { minIntervalMs: 5, deadlineMs: 11_000, failsTogether: isDatabaseUnavailable };

/** Creates batchers with metrics of their sizes. */
@Injectable()
export class Batchers {
  private readonly sizes;

  constructor(metrics: Metrics) {
    this.sizes = metrics.sizes({ name: 'batch_items', help: 'Items flushed together', labelNames: ['batcher'] });
  }

  create<T, R = void>(batcher: string, flush: (items: T[]) => Promise<readonly R[] | void>, options: BatcherOptions<T>) {
    const onBatch = (items: number): void => this.sizes.observe({ batcher }, items);
    return new Batcher<T, R>(flush, { ...options, onBatch });
  }
}
