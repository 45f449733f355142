import { Injectable } from '@nestjs/common';
import { type Counter, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of log streams. */
@Injectable()
export class StreamMetrics {
  readonly batches: Counter<'kind' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.batches = metrics.counter({
      name: 'log_stream_batches_total',
      help: 'Attempts to send a batch of log records, by kind of destination and outcome: DELIVERED or FAILED',
      labelNames: ['kind', 'outcome'],
    });
  }
}
