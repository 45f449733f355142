// Room: Seals records in a chain of signed blocks, and rotates the signing keys.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { furthestBlocks } from './blocks.queries.js';
import { makeCheckpoint } from './checkpoint.js';
import { KeyChainsService } from './key-chains.service.js';
import type { Position } from './seals.queries.js';

/** Blocks that are read together to find one that was not forged. */
const BLOCKS_A_STEP = 100;

/** Returns the position up to which rows are sealed, and makes checkpoints. */
@Injectable()
export class SealsService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
  ) {}

  /**
   * Returns the position up to which every tenant's rows are sealed; undefined when there are blocks, but none of a known key. Skips
   * blocks that were forged to stop all sealing.
   */
  async sealedUpTo(): Promise<Position | undefined> {
    for (let skip = 0, take = 1; ; skip += take, take = BLOCKS_A_STEP) {
      const blocks = await furthestBlocks(this.database, { skip, take });
      const furthest = blocks.find((block) => this.chains.isGenuine(block));
      if (furthest) return { seq: furthest.toSeq, editSeq: furthest.toEditSeq };
      if (blocks.length === 0) return skip === 0 ? { seq: 0n, editSeq: 0n } : undefined;
    }
  }

  /** Returns the checkpoint of the newest block. @throws FAILED_PRECONDITION when that block was changed */
  async latestSeal({ tenantId }: Caller): Promise<string | null> {
    const { newest, chain } = await this.chains.newest(tenantId);
    if (!newest) return null;
    // A checkpoint of a forged block would make it genuine.
    if (!chain.isSealed(newest)) {
      throw new AppError('FAILED_PRECONDITION', 'The newest block was changed; ask verifyLogs what was done');
    }
    return makeCheckpoint(newest, chain.signer!);
  }
}
