import { Injectable } from '@nestjs/common';
import { type Counter, Metrics } from '../../metrics/metrics.js';

/** Metrics of webhook events. */
@Injectable()
export class EventMetrics {
  readonly attempts: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.attempts = metrics.counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to send an event to a webhook, by resulting state of the event: DELIVERED, PENDING (retried later), FAILED',
      labelNames: ['outcome'],
    });
  }
}
