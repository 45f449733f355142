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

  /** The row is settled by now, so a store that fails is no reason to fail the caller. */
  async remove(key: string | null): Promise<void> {
    if (key === null) return;
    try {
      const pinned = await pinnedOf(this.prisma, [key]);
      if (!pinned.has(key)) await this.blobs.remove(key);
    } catch (error) {
      this.log.warn({ err: error, key }, 'a blob could not be removed');
    }
  }
}
