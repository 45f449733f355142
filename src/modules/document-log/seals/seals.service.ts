import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/errors/app-error.js';
import { isSealed } from './block.js';
import { furthestBlocks, newestBlocks } from './blocks.queries.js';
import { makeCheckpoint } from './checkpoint.js';
import { SealSigner } from './seal-signer.js';
import type { Position } from './seals.queries.js';

/** Blocks that are read together to find one that was not forged. */
const BLOCKS_A_STEP = 100;

/** Tells how far the log is sealed, and gives out checkpoints. */
@Injectable()
export class SealsService {
  constructor(
    private readonly database: Database,
    private readonly signer: SealSigner,
  ) {}

  /** Returns the position up to which every tenant's rows are sealed. Skips blocks that were forged to stop all sealing. */
  async sealedUpTo(): Promise<Position> {
    for (let skip = 0, take = 1; ; skip += take, take = BLOCKS_A_STEP) {
      const blocks = await furthestBlocks(this.database, { skip, take });
      const furthest = blocks.find((block) => isSealed(block, this.signer));
      if (furthest) return { seq: furthest.toSeq, editSeq: furthest.toEditSeq };
      if (blocks.length === 0) return { seq: 0n, editSeq: 0n };
    }
  }

  /** Returns the checkpoint of the newest block. @throws FAILED_PRECONDITION when that block was changed */
  async latestSeal({ tenantId }: Caller): Promise<string | null> {
    const [newest] = await newestBlocks(this.database, [tenantId]);
    if (!newest) return null;
    // A checkpoint of a forged block would make it genuine.
    if (!isSealed(newest, this.signer)) {
      throw new AppError('FAILED_PRECONDITION', 'The newest block was changed; ask verifyLogs what was done');
    }
    return makeCheckpoint(newest, this.signer);
  }
}
