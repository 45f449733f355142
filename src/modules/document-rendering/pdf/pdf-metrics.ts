import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, type Histogram, Metrics } from '../../../common/metrics/metrics.js';

@Injectable()
export class PdfMetrics {
  readonly jobs: Counter<'outcome'>;
  readonly waiting: Gauge;
  readonly browsers: Counter<'start'>;
  readonly prepared: Gauge;
  readonly duration: Histogram;

  constructor(metrics: Metrics) {
    this.jobs = metrics.counter({
      name: 'pdf_jobs_total',
      help: 'PDFs by outcome: ok, refused, timeout, memory, left, failed',
      labelNames: ['outcome'],
    });
    this.waiting = metrics.gauge({ name: 'pdf_queue_length', help: 'Queued PDFs' });
    this.browsers = metrics.counter({
      name: 'pdf_browsers_total',
      help: 'Browsers that printed a PDF, by start: ahead, on demand',
      labelNames: ['start'],
    });
    this.prepared = metrics.gauge({ name: 'pdf_browsers_prepared', help: 'Browsers started ahead for the next PDF' });
    this.duration = metrics.seconds({
      name: 'pdf_job_duration_seconds',
      help: 'Duration of a PDF, including a browser start on demand, without queueing',
      labelNames: [],
    });
  }
}
