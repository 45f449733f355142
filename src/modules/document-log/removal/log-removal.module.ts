// Room: Erases persons, and deletes old records.
import { EventOutboxModule } from '../../../common/events/outbox/event-outbox.module.js';
import { Module } from '@nestjs/common';
import { LogRotationModule } from '../seals/log-rotation.module.js';
import { LogErasureService } from './log-erasure.service.js';
import { LogRetentionService } from './log-retention.service.js';

/** Lets other services erase persons and remove old records. Has no resolvers: see LogRecorderModule. */
@Module({
  imports: [LogRotationModule, EventOutboxModule],
  providers: [LogErasureService, LogRetentionService],
  exports: [LogErasureService, LogRetentionService],
})
export class LogRemovalModule {}
