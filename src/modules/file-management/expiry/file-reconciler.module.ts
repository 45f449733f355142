// Room: Removes expired files, and what crashes leave behind.
import { Module } from '@nestjs/common';
import { EventOutboxModule } from '../../../common/events/outbox/event-outbox.module.js';
import { BlobStoreModule } from '../blob-store/blob-store.module.js';
import { FileReconcilerService } from './file-reconciler.service.js';

/**
 * Repairs differences between store and database that crashes left. A separate module, so that the command line needs no server.
 */
@Module({
  imports: [BlobStoreModule, EventOutboxModule],
  providers: [FileReconcilerService],
  exports: [BlobStoreModule, FileReconcilerService],
})
export class FileReconcilerModule {}
