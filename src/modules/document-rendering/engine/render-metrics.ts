import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of the render processes. */
@Injectable()
export class RenderMetrics {
  readonly renderJobs: Counter<'kind' | 'outcome'>;
  readonly renderQueue: Gauge;

  constructor(metrics: Metrics) {
    this.renderJobs = metrics.counter({
      name: 'render_jobs_total',
      help: 'Jobs of the render processes, by outcome: ok, refused, fault, timeout, starved, memory, died, queue_full, waited, unavailable',
      labelNames: ['kind', 'outcome'],
    });
    this.renderQueue = metrics.gauge({
      name: 'render_queue_length',
      help: 'Jobs that wait for a render process',
    });
  }
}
