import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { Logger } from '../../../common/logging/logger.js';
import { pinnedOf } from './blob-pins.queries.js';
import { BlobStore } from '../blob-store/blob-store.js';

/** Removes blobs without a file. Skips pinned blobs, which the last holder removes. */
@Injectable()
export class BlobDeletion {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly logger: Logger,
  ) {}

  /** Removes a blob and returns true on success. Never rejects: the row is already written, and the daily reconciliation removes the blob later. */
  async remove(key: string | null): Promise<boolean> {
    if (key === null) return true;
    try {
      const pinned = await pinnedOf(this.database, [key]);
      if (!pinned.has(key)) await this.blobs.remove(key);
      return true;
    } catch (error) {
      this.logger.warn({ err: error, key }, 'a blob could not be removed');
      return false;
    }
  }
}
