import { Module } from '@nestjs/common';
import { Config, ConfigError } from '../../../common/config/config.js';
import { BlobStore } from './blob-store.js';
import { DiskBlobStore } from './disk-blob-store.js';

async function openBlobStore(config: Config): Promise<BlobStore> {
  const store = config.minio ? await minioBlobStore(config.minio) : new DiskBlobStore(config.dataDir);
  await store.prepare().catch((error: Error) => {
    if (!config.minio) throw error;
    const [, reason = error.message] = /^The store cannot be used: (.*)$/s.exec(error.message) ?? [];
    throw new ConfigError(`MINIO_ENDPOINT names a store that cannot be used: ${reason}`, { cause: error });
  });
  return store;
}

/** Loaded on demand: the client is a hundred modules, which a node with a folder does not need. */
async function minioBlobStore(settings: NonNullable<Config['minio']>): Promise<BlobStore> {
  const { MinioBlobStore } = await import('./minio-blob-store.js');
  return new MinioBlobStore(settings);
}

/** The one place that chooses the store: MinIO when it is configured, else a folder. */
@Module({ providers: [{ provide: BlobStore, inject: [Config], useFactory: openBlobStore }], exports: [BlobStore] })
export class BlobStoreModule {}
