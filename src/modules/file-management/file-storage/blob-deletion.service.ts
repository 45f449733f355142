import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { Logger } from '../../../common/logging/logger.js';
import { pinnedOf } from './blob-pins.queries.js';
import { BlobStore } from '../blob-store/blob-store.js';

/** Removes blobs that no file names any more. A pinned blob is left to its last holder. */
@Injectable()
export class BlobDeletion {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly logger: Logger,
  ) {}

  /**
   * Removes a blob and returns whether this worked. Never rejects: the row is written already, and the daily reconciliation removes the
   * blob later.
   */
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
