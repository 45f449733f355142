import { Injectable } from '@nestjs/common';
import { type Counter, Metrics } from '../../../common/metrics/metrics.js';

/** The figures of log streams. */
@Injectable()
export class StreamMetrics {
  readonly batches: Counter<'kind' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.batches = metrics.counter({
      name: 'log_stream_batches_total',
      help: 'Attempts to send a batch of log records, by the kind of the destination and the outcome: DELIVERED or FAILED',
      labelNames: ['kind', 'outcome'],
    });
  }
}
