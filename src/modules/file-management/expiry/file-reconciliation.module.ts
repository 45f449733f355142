// Room: Expiry and retention of files, deletion of the files of a tenant, and the daily reconciliation of blobs with rows.
import { Module } from '@nestjs/common';
import { EventOutboxModule } from '../../../common/events/outbox/event-outbox.module.js';
import { BlobStoreModule } from '../blob-store/blob-store.module.js';
import { FileReconciliationService } from './file-reconciliation.service.js';

/**
 * Repairs differences between store and database that crashes left. A separate module, so that the command line needs no server.
 */
@Module({
  imports: [BlobStoreModule, EventOutboxModule],
  providers: [FileReconciliationService],
  exports: [BlobStoreModule, FileReconciliationService],
})
export class FileReconciliationModule {}
