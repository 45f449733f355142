import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../base/database-faults.js';
import { Metrics } from '../metrics/metrics.js';
import { Batcher, type BatcherOptions } from './batcher.js';

/**
 * Options of writes that callers wait for: they end within the 12 s after which a slow database is reported, and after a failed
 * batch each item is tried alone. A batch begins once the last one has ended, or after 5 ms: so batches gather items where
 * commits are quick, and run side by side where a commit takes long.
 */
export const WRITES = { minIntervalMs: 5, deadlineMs: 11_000, failsTogether: isDatabaseUnavailable };

/** Makes batchers whose sizes show in the metrics. */
@Injectable()
export class Batchers {
  private readonly sizes;

  constructor(metrics: Metrics) {
    this.sizes = metrics.sizes({ name: 'batch_items', help: 'Items that were flushed together', labelNames: ['batcher'] });
  }

  create<T, R = void>(batcher: string, flush: (items: T[]) => Promise<readonly R[] | void>, options: BatcherOptions<T>) {
    const onBatch = (items: number): void => this.sizes.observe({ batcher }, items);
    return new Batcher<T, R>(flush, { ...options, onBatch });
  }
}
