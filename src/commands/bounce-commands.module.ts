import { Module } from '@nestjs/common';
import { EventOutboxModule } from '../common/events/outbox/event-outbox.module.js';
import { BouncesModule } from '../modules/email/bounces/bounces.module.js';

/** Providers for recording bounces without a server. */
@Module({ imports: [EventOutboxModule, BouncesModule] })
export class BounceCommandsModule {}
