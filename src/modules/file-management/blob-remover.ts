import { Injectable } from '@nestjs/common';
import { Log } from '../../common/logging/log.js';
import { BlobStore } from './blob-store/blob-store.js';

/** Removes blobs that no row names any more. */
@Injectable()
export class BlobRemover {
  constructor(
    private readonly blobs: BlobStore,
    private readonly log: Log,
  ) {}

  /** The row is settled by now, so a store that fails is no reason to fail the caller. */
  async remove(key: string | null): Promise<void> {
    if (key === null) return;
    await this.blobs.remove(key).catch((error: unknown) => this.log.warn({ err: error, key }, 'a blob could not be removed'));
  }
}
