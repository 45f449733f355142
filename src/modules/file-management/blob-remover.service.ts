import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Log } from '../../common/logging/log.js';
import { pinnedOf } from './blob-pins.queries.js';
import { BlobStore } from './blob-store/blob-store.js';

/** Removes blobs that no file names any more, unless somebody holds on to them: who lets go last removes them then. */
@Injectable()
export class BlobRemover {
  constructor(
    private readonly prisma: PrismaService,
    private readonly blobs: BlobStore,
    private readonly log: Log,
  ) {}

  /** The row is settled by now, so a store that fails is no reason to fail the caller. Returns whether it worked. */
  async remove(key: string | null): Promise<boolean> {
    if (key === null) return true;
    try {
      const pinned = await pinnedOf(this.prisma, [key]);
      if (!pinned.has(key)) await this.blobs.remove(key);
      return true;
    } catch (error) {
      this.log.warn({ err: error, key }, 'a blob could not be removed');
      return false;
    }
  }
}
