import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, type Histogram, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of the browsers that print PDFs. */
@Injectable()
export class PdfMetrics {
  readonly jobs: Counter<'outcome'>;
  readonly waiting: Gauge;
  readonly duration: Histogram;

  constructor(metrics: Metrics) {
    this.jobs = metrics.counter({
      name: 'pdf_jobs_total',
      help: 'PDFs to print, by outcome: ok, refused, timeout, memory, left, failed',
      labelNames: ['outcome'],
    });
    this.waiting = metrics.gauge({ name: 'pdf_queue_length', help: 'PDFs that wait for a browser' });
    this.duration = metrics.seconds({
      name: 'pdf_job_duration_seconds',
      help: 'Time that a browser took for a PDF, with its start and without the wait for it',
      labelNames: [],
    });
  }
}
