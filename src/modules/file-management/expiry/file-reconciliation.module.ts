// Room: Expires and deletes files, and repairs differences between store and database daily.
import { Module } from '@nestjs/common';
import { EventOutboxModule } from '../../../common/events/outbox/event-outbox.module.js';
import { BlobStoreModule } from '../blob-store/blob-store.module.js';
import { FileReconciliationService } from './file-reconciliation.service.js';

/** Repairs differences between store and database after crashes. A separate module, so that the command line needs no server. */
@Module({
  imports: [BlobStoreModule, EventOutboxModule],
  providers: [FileReconciliationService],
  exports: [BlobStoreModule, FileReconciliationService],
})
export class FileReconciliationModule {}
