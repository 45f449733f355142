import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of the outbox. */
@Injectable()
export class EmailMetrics {
  readonly emails: Counter<'outcome'>;
  readonly emailQueue: Gauge;
  readonly emailQueueAge: Gauge;

  constructor(metrics: Metrics) {
    this.emails = metrics.counter({
      name: 'emails_total',
      help: 'Mails handled by this process, by outcome: queued, sent, failed, deferred (an attempt to be repeated)',
      labelNames: ['outcome'],
    });
    for (const outcome of ['queued', 'sent', 'failed', 'deferred']) this.emails.inc({ outcome }, 0);
    this.emailQueue = metrics.gauge({
      name: 'email_queue_length',
      aggregator: 'max',
      help: 'Queued mails of all nodes, except for those scheduled for the future',
    });
    this.emailQueueAge = metrics.gauge({
      name: 'email_queue_oldest_seconds',
      aggregator: 'max',
      help: 'Age of the oldest queued mail, from its acceptance or scheduled time; 0 if the queue is empty',
    });
  }
}
