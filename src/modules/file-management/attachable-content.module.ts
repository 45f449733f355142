import { Module } from '@nestjs/common';
import { AttachableContentService } from './attachable-content.service.js';
import { BlobRemover } from './blob-remover.service.js';
import { BlobStoreModule } from './blob-store/blob-store.module.js';

/** What other services may do with content. Without resolvers: who imports those serves them. */
@Module({
  imports: [BlobStoreModule],
  providers: [BlobRemover, AttachableContentService],
  exports: [BlobRemover, AttachableContentService],
})
export class AttachableContentModule {}
