import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, type Histogram, Metrics } from '../../../common/metrics/metrics.js';

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
      help: 'Queued jobs',
    });
    this.renderProcesses = metrics.gauge({
      name: 'render_processes',
      help: 'Running render processes',
    });
    this.renderDuration = metrics.seconds({
      name: 'render_job_duration_seconds',
      help: 'Duration of a job in its render process, without queueing',
      labelNames: ['kind'],
    });
  }
}
