import { Module } from '@nestjs/common';
import { BlobStoreModule } from '../blob-store/blob-store.module.js';
import { FileReconcilerService } from './file-reconciler.service.js';

/** Repairs what crashes left between store and database. A module of its own, so that the command line needs no server. */
@Module({ imports: [BlobStoreModule], providers: [FileReconcilerService], exports: [BlobStoreModule, FileReconcilerService] })
export class FileReconcilerModule {}
