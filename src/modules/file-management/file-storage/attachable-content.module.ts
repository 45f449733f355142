import { Module } from '@nestjs/common';
import { AttachableContentService } from './attachable-content.service.js';
import { BlobDeletion } from './blob-deletion.service.js';
import { BlobStoreModule } from '../blob-store/blob-store.module.js';

/** Gives other services access to file content. Has no resolvers, since an importing module would serve them in its own schema. */
@Module({
  imports: [BlobStoreModule],
  providers: [BlobDeletion, AttachableContentService],
  exports: [BlobDeletion, AttachableContentService],
})
export class AttachableContentModule {}
