// Room: Stores content under keys, in a folder or an S3 bucket.
import { Module } from '@nestjs/common';
import { Config, ConfigError } from '../../../common/config/config.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { BlobStore } from './blob-store.js';
import { measured } from './blob-store-metrics.js';
import { DiskBlobStore } from './disk-blob-store.js';
import { StorePreparation } from './store-preparation.js';

type Prepare = (store: BlobStore) => Promise<void>;

/** Opens and prepares the configured store. @throws ConfigError when the store cannot be used */
export async function openBlobStore(config: Config, prepare: Prepare = (store) => store.prepare()): Promise<BlobStore> {
  const store = config.minio ? await minioBlobStore(config.minio) : new DiskBlobStore(config.dataDir);
  await prepare(store).catch((error: Error) => {
    if (!config.minio) throw error;
    const [, reason = error.message] = /^The store cannot be used: (.*)$/s.exec(error.message) ?? [];
    throw new ConfigError(`S3_ENDPOINT names a store that cannot be used: ${reason}`, { cause: error });
  });
  return store;
}

async function provideBlobStore(config: Config, preparation: StorePreparation, metrics?: Metrics): Promise<BlobStore> {
  const store = await openBlobStore(config, (store) => preparation.prepare(store));
  return metrics ? measured(store, metrics, config.minio?.bucket) : store;
}

/** Loads the S3 client on demand. Its 100 modules are not needed for a folder. */
async function minioBlobStore(settings: NonNullable<Config['minio']>): Promise<BlobStore> {
  const { MinioBlobStore } = await import('./minio-blob-store.js');
  return new MinioBlobStore(settings);
}

/** Chooses the store: S3 if configured, otherwise a folder. */
@Module({
  providers: [
    StorePreparation,
    {
      provide: BlobStore,
      inject: [Config, StorePreparation, { token: Metrics, optional: true }],
      useFactory: provideBlobStore,
    },
  ],
  exports: [BlobStore],
})
export class BlobStoreModule {}
