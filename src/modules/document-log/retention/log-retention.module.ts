// Room: Erases persons from records, and deletes records older than their tenant retains.
import { EventOutboxModule } from '../../../common/events/outbox/event-outbox.module.js';
import { Module } from '@nestjs/common';
import { LogRotationModule } from '../seals/log-rotation.module.js';
import { LogErasureService } from './log-erasure.service.js';
import { LogRetentionService } from './log-retention.service.js';

/** Lets other services erase persons, and delete records past their retention. Has no resolvers: see LogRecorderModule. */
@Module({
  imports: [LogRotationModule, EventOutboxModule],
  providers: [LogErasureService, LogRetentionService],
  exports: [LogErasureService, LogRetentionService],
})
export class LogRetentionModule {}
