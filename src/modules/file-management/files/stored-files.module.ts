import { Module } from '@nestjs/common';
import { BlobStoreModule } from '../blob-store/blob-store.module.js';
import { AttachableContentModule } from '../file-storage/attachable-content.module.js';
import { FileQuotasService } from '../usage/file-quotas.service.js';
import { StoredFilesService } from './stored-files.service.js';

/** Lets other services read and create files. Has no resolvers, since an importing module would serve them in its own schema. */
@Module({
  imports: [BlobStoreModule, AttachableContentModule],
  providers: [FileQuotasService, StoredFilesService],
  exports: [FileQuotasService, StoredFilesService],
})
export class StoredFilesModule {}
