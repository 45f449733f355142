import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, type Histogram, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of the render processes. */
@Injectable()
export class RenderMetrics {
  readonly renderJobs: Counter<'kind' | 'outcome'>;
  readonly renderQueue: Gauge;
  readonly renderProcesses: Gauge;
  readonly renderDuration: Histogram<'kind'>;

  constructor(metrics: Metrics) {
    this.renderJobs = metrics.counter({
      name: 'render_jobs_total',
      help: 'Jobs of the render processes, by outcome: ok, refused, fault, timeout, starved, memory, died, queue_full, waited, left, unavailable',
      labelNames: ['kind', 'outcome'],
    });
    this.renderQueue = metrics.gauge({
      name: 'render_queue_length',
      help: 'Jobs that wait for a render process',
    });
    this.renderProcesses = metrics.gauge({
      name: 'render_processes',
      help: 'Render processes that were started and have not ended',
    });
    this.renderDuration = metrics.seconds({
      name: 'render_job_duration_seconds',
      help: 'Time that a render process took for a job, without the wait for it',
      labelNames: ['kind'],
    });
  }
}
