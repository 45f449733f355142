import { Global, Module } from '@nestjs/common';
import { EventOutbox } from './event-outbox.js';
import { WebhookDirectory } from './webhook-directory.js';

/** Stores events. A separate module, since commands change what webhooks are told of, and send nothing. */
@Global()
@Module({ providers: [WebhookDirectory, EventOutbox], exports: [WebhookDirectory, EventOutbox] })
export class EventOutboxModule {}
