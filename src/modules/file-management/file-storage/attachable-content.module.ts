import { Module } from '@nestjs/common';
import { AttachableContentService } from './attachable-content.service.js';
import { BlobDeletion } from './blob-deletion.service.js';
import { BlobStoreModule } from '../blob-store/blob-store.module.js';

/**
 * Lets other services use the content of files. Has no resolvers, since a module that imported them would serve them in its own
 * schema.
 */
@Module({
  imports: [BlobStoreModule],
  providers: [BlobDeletion, AttachableContentService],
  exports: [BlobDeletion, AttachableContentService],
})
export class AttachableContentModule {}
