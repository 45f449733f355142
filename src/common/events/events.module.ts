import { Global, Module } from '@nestjs/common';
import { EventDeliverer } from './delivery/event-deliverer.job.js';
import { EventMetrics } from './delivery/event-metrics.js';
import { EventSender } from './delivery/event-sender.js';
import { EventOutboxModule } from './outbox/event-outbox.module.js';
import { EventRetention } from './webhooks/event-retention.service.js';
import { WebhookDeliveriesService } from './webhooks/webhook-deliveries.service.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** Tells the webhooks of tenants what happens. An event is stored with the change that it tells of, so no crash loses one. */
@Global()
@Module({
  imports: [EventOutboxModule],
  providers: [WebhooksService, WebhookDeliveriesService, EventRetention, EventSender, EventMetrics, EventDeliverer],
  exports: [WebhooksService, WebhookDeliveriesService],
})
export class EventsModule {}
