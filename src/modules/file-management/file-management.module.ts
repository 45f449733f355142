import { Module } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { AttachableContentModule } from './attachable-content.module.js';
import { BlobStore } from './blob-store/blob-store.js';
import { CurrentContentService } from './current-content.service.js';
import { FileContentController } from './file-content.controller.js';
import { FileContentService } from './file-content.service.js';
import { FileDownloads } from './file-downloads.js';
import { FileQuotasService } from './file-quotas.service.js';
import { FileReconcilerModule } from './file-reconciler.module.js';
import { FileReconciler } from './file-reconciler.worker.js';
import { FileSweeper } from './file-sweeper.worker.js';
import { FileUrls } from './file-urls.js';
import { FilesResolver } from './files.resolver.js';
import { FilesService } from './files.service.js';
import { MultipartPartsService } from './multipart-parts.service.js';
import { MultipartResolver } from './multipart.resolver.js';
import { MultipartService } from './multipart.service.js';

/** Keeps files: their rows in the database, their bytes in a blob store. A broken upload never harms what was there. */
@Module({
  imports: [AttachableContentModule, FileReconcilerModule],
  providers: [
    CurrentContentService,
    FileQuotasService,
    FilesService,
    FileContentService,
    MultipartPartsService,
    MultipartService,
    FileContentController,
    FileDownloads,
    FileUrls,
    FilesResolver,
    MultipartResolver,
    FileSweeper,
    FileReconciler,
  ],
})
export class FileManagementModule {
  constructor(readiness: Readiness, blobs: BlobStore) {
    readiness.add('blob store', 'file-management', () => blobs.check());
  }
}
