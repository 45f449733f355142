import { Global, Module } from '@nestjs/common';
import { EventOutbox } from './event-outbox.js';
import { WebhookDirectory } from './webhook-directory.js';

/** Stores events. Separate from delivery, since commands change data with webhooks but send nothing. */
@Global()
@Module({ providers: [WebhookDirectory, EventOutbox], exports: [WebhookDirectory, EventOutbox] })
export class EventOutboxModule {}
