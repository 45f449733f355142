import { Injectable } from '@nestjs/common';
import { type Counter, Metrics } from '../../../common/metrics/metrics.js';

@Injectable()
export class FileMetrics {
  readonly contentBytes: Counter<'direction'>;

  constructor(metrics: Metrics) {
    this.contentBytes = metrics.counter({
      name: 'file_content_bytes_total',
      help: 'Bytes of file content that passed through this process',
      labelNames: ['direction'],
    });
  }
}
