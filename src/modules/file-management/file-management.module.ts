import { Module } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { Readiness } from '../../common/health/readiness.js';
import { BlobRemover } from './blob-remover.js';
import { BlobStore } from './blob-store/blob-store.js';
import { DiskBlobStore } from './blob-store/disk-blob-store.js';
import { FileContentController } from './file-content.controller.js';
import { FileContentService } from './file-content.service.js';
import { FileUrls } from './file-urls.js';
import { FilesResolver } from './files.resolver.js';
import { FilesService } from './files.service.js';

async function openBlobStore(config: Config): Promise<BlobStore> {
  const store = new DiskBlobStore(config.dataDir);
  await store.prepare();
  return store;
}

/** Keeps files: their rows in the database, their bytes in a blob store. A broken upload never harms what was there. */
@Module({
  providers: [
    { provide: BlobStore, inject: [Config], useFactory: openBlobStore },
    BlobRemover,
    FilesService,
    FileContentService,
    FileContentController,
    FileUrls,
    FilesResolver,
  ],
})
export class FileManagementModule {
  constructor(readiness: Readiness, blobs: BlobStore) {
    readiness.add('blob store', () => blobs.check());
  }
}
