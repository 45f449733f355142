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
      help: 'Mails that this process handled, by outcome: queued, sent, failed, deferred (an attempt that is repeated later)',
      labelNames: ['outcome'],
    });
    for (const outcome of ['queued', 'sent', 'failed', 'deferred']) this.emails.inc({ outcome }, 0);
    this.emailQueue = metrics.gauge({
      name: 'email_queue_length',
      aggregator: 'max',
      help: 'Mails of all nodes that are accepted and neither sent nor given up; not those scheduled for a time to come',
    });
    this.emailQueueAge = metrics.gauge({
      name: 'email_queue_oldest_seconds',
      aggregator: 'max',
      help: 'Age of the oldest mail in the queue, from the time it was scheduled for; 0 when it is empty',
    });
  }
}
