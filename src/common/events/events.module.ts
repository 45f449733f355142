// Room: Webhooks: stores events in the transaction of their change, and delivers them.
import { Global, Module } from '@nestjs/common';
import { EventDeliverer } from './delivery/event-deliverer.job.js';
import { EventMetrics } from './delivery/event-metrics.js';
import { EventSender } from './delivery/event-sender.js';
import { WaitingEventsLimit } from './webhooks/waiting-events-limit.job.js';
import { EventOutboxModule } from './outbox/event-outbox.module.js';
import { EventRetention } from './webhooks/event-retention.service.js';
import { RedeliveryService } from './webhooks/redelivery.service.js';
import { WebhookDeliveriesService } from './webhooks/webhook-deliveries.service.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** Notifies webhooks of tenants. An event is stored together with its change, so no crash loses one. */
@Global()
@Module({
  imports: [EventOutboxModule],
  providers: [
    WebhooksService,
    WebhookDeliveriesService,
    RedeliveryService,
    EventRetention,
    EventSender,
    EventMetrics,
    EventDeliverer,
    WaitingEventsLimit,
  ],
  exports: [WebhooksService, WebhookDeliveriesService, RedeliveryService],
})
export class EventsModule {}
