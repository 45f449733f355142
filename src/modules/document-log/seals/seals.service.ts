// Room: Seals records in a chain of signed blocks, and rotates the signing keys.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { furthestBlocks } from './blocks.queries.js';
import { makeCheckpoint } from './checkpoint.js';
import { KeyChainsService } from './key-chains.service.js';
import type { Position } from './seals.queries.js';

/** Blocks read per step in search of a genuine one. */
const BLOCKS_A_STEP = 100;

/** Determines the sealed position, and creates checkpoints. */
@Injectable()
export class SealsService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
  ) {}

  /**
   * Returns the position up to which every tenant's rows are sealed; undefined if blocks exist, but none of a known key. Skips forged
   * blocks, which could otherwise stop all sealing.
   */
  async sealedUpTo(): Promise<Position | undefined> {
    for (let skip = 0, take = 1; ; skip += take, take = BLOCKS_A_STEP) {
      const blocks = await furthestBlocks(this.database, { skip, take });
      const furthest = blocks.find((block) => this.chains.isGenuine(block));
      if (furthest) return { seq: furthest.toSeq, editSeq: furthest.toEditSeq };
      if (blocks.length === 0) return skip === 0 ? { seq: 0n, editSeq: 0n } : undefined;
    }
  }

  /** Returns the checkpoint of the newest block. @throws FAILED_PRECONDITION if that block was changed */
  async latestSeal({ tenantId }: Caller): Promise<string | null> {
    const { newest, chain } = await this.chains.newest(tenantId);
    if (!newest) return null;
    // Signing a forged block would make it genuine.
    if (!chain.isSealed(newest)) {
      throw new AppError('FAILED_PRECONDITION', 'The newest block was changed; call verifyLogs for details');
    }
    return makeCheckpoint(newest, chain.signer!);
  }
}
