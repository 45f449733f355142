import { Module } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { BlobStore } from './blob-store.js';
import { DiskBlobStore } from './disk-blob-store.js';
import { MinioBlobStore } from './minio-blob-store.js';

async function openBlobStore(config: Config): Promise<BlobStore> {
  const store = config.minio ? new MinioBlobStore(config.minio) : new DiskBlobStore(config.dataDir);
  await store.prepare();
  return store;
}

/** The one place that knows which technology holds the bytes: a folder, or MinIO when it is configured. */
@Module({ providers: [{ provide: BlobStore, inject: [Config], useFactory: openBlobStore }], exports: [BlobStore] })
export class BlobStoreModule {}
