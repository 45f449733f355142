import { Injectable } from '@nestjs/common';
import { type Counter, Metrics } from '../../../common/metrics/metrics.js';

/** Metrics of pushed messages. */
@Injectable()
export class PushMetrics {
  readonly pushedMessages: Counter<'kind'>;
  readonly settledMessages: Counter<'event'>;
  readonly fallbacks: Counter<'state'>;

  constructor(metrics: Metrics) {
    this.pushedMessages = metrics.counter({
      name: 'push_messages_total',
      help: 'Messages created by pushes, one per recipient, or one per global message',
      labelNames: ['kind'],
    });
    this.settledMessages = metrics.counter({
      name: 'push_settled_total',
      help: 'Outcomes of messages reported by connections: confirmed, allBroke',
      labelNames: ['event'],
    });
    this.fallbacks = metrics.counter({
      name: 'push_fallbacks_total',
      help: 'Decided fallbacks of messages, by state: NOT_NEEDED, SENT, FAILED',
      labelNames: ['state'],
    });
  }
}
