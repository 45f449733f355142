import { accessOperations } from '../../common/access/access-operations.js';
import { webhookOperations } from '../../common/events/webhooks/webhook-operations.js';
import { FILE_EVENTS } from './file-storage/file-events.js';
import { FileManagementSchema } from '../../common/graphql/types/schemas.js';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { Module } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { AttachableContentModule } from './file-storage/attachable-content.module.js';
import { TokenBounds } from '../../common/tokens/token-bounds.js';
import { BlobStore } from './blob-store/blob-store.js';
import { CurrentContentService } from './file-storage/current-content.service.js';
import { FileContentController } from './transfer/file-content.controller.js';
import { FileMetrics } from './content-rules/file-metrics.js';
import { FileContentService } from './transfer/file-content.service.js';
import { FileDownloads } from './transfer/file-downloads.js';
import { FileFoldersService } from './files/file-folders.service.js';
import { FileReconciliationModule } from './expiry/file-reconciliation.module.js';
import { TenantFilesDeletionService } from './expiry/tenant-files-deletion.service.js';
import { FileReconciliation } from './expiry/file-reconciliation.job.js';
import { FileRetentionService } from './expiry/file-retention.service.js';
import { FileExpiry } from './expiry/file-expiry.job.js';
import { FileUrls } from './file-storage/file-urls.js';
import { ArchiveDownloads } from './archives/archive-downloads.js';
import { FileArchivesResolver } from './archives/file-archives.resolver.js';
import { FileArchivesService } from './archives/file-archives.service.js';
import { FileCopiesResolver } from './files/file-copies.resolver.js';
import { FileCopiesService } from './files/file-copies.service.js';
import { FileDeletionsResolver } from './files/file-deletions.resolver.js';
import { FileDeletionsService } from './files/file-deletions.service.js';
import { FolderDeletionJob } from './files/folder-deletion.job.js';
import { FileMovesResolver } from './files/file-moves.resolver.js';
import { FileMovesService } from './files/file-moves.service.js';
import { FileWriterService } from './files/file-writer.service.js';
import { FilesResolver } from './files/files.resolver.js';
import { FilesService } from './files/files.service.js';
import { JoinedContentService } from './multipart/joined-content.service.js';
import { MultipartPartsService } from './multipart/multipart-parts.service.js';
import { MultipartResolver } from './multipart/multipart.resolver.js';
import { MultipartService } from './multipart/multipart.service.js';
import { StoredFilesModule } from './files/stored-files.module.js';
import { StorageResolver } from './usage/storage.resolver.js';
import { StorageSampler } from './usage/storage-sampler.job.js';
import { Transfers } from './content-rules/transfers.service.js';
import { StorageUsageService } from './usage/storage-usage.service.js';

/** Stores files: rows in the database, content in a blob store. A failed upload leaves the earlier content intact. */
@Module({
  imports: [AttachableContentModule, StoredFilesModule, FileReconciliationModule],
  providers: [
    CurrentContentService,
    FilesService,
    FileFoldersService,
    StorageUsageService,
    FileWriterService,
    FileMetrics,
    Transfers,
    FileContentService,
    MultipartPartsService,
    JoinedContentService,
    MultipartService,
    FileContentController,
    FileDownloads,
    FileUrls,
    versionResolver('file-management'),
    accessOperations({ service: 'file-management', marker: FileManagementSchema }),
    ...webhookOperations({ service: 'file-management', marker: FileManagementSchema, kinds: FILE_EVENTS }),
    FilesResolver,
    MultipartResolver,
    StorageResolver,
    FileExpiry,
    StorageSampler,
    FileReconciliation,
    TenantFilesDeletionService,
    FileRetentionService,
    FileDeletionsService,
    FileDeletionsResolver,
    FolderDeletionJob,
    FileMovesService,
    FileMovesResolver,
    FileArchivesService,
    FileArchivesResolver,
    ArchiveDownloads,
    FileCopiesService,
    FileCopiesResolver,
  ],
  exports: [FileContentService, StoredFilesModule],
})
export class FileManagementModule {
  constructor(readiness: Readiness, blobs: BlobStore, bounds: TokenBounds, files: FilesService) {
    readiness.add('blob store', 'file-management', () => blobs.check());
    bounds.readNames((tenantId, ids) => files.namesOf(tenantId, ids));
  }
}
