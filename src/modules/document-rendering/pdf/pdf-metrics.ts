import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, type Histogram, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of PDFs, and of the browsers that print them. */
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
      help: 'PDFs to print, by outcome: ok, refused, timeout, memory, left, failed',
      labelNames: ['outcome'],
    });
    this.waiting = metrics.gauge({ name: 'pdf_queue_length', help: 'PDFs that wait for a place' });
    this.browsers = metrics.counter({
      name: 'pdf_browsers_total',
      help: 'Browsers that printed a PDF, by when they were started: ahead, on demand',
      labelNames: ['start'],
    });
    this.prepared = metrics.gauge({ name: 'pdf_browsers_prepared', help: 'Browsers that were started ahead for the next PDF' });
    this.duration = metrics.seconds({
      name: 'pdf_job_duration_seconds',
      help: 'Time that a PDF took, with the start of its browser unless that was ahead, without the wait for a place',
      labelNames: [],
    });
  }
}
