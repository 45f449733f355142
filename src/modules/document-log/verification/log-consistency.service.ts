import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput } from '../../../common/base/app-error.js';
import { type LogConsistency, type LogConsistencyStep, MAX_STEPS } from './seal.model.js';
import { blockHash } from '../seals/block.js';
import type { BlockHead } from '../seals/block-row.js';
import { blockOfNumber, blocksAfter } from '../seals/blocks.queries.js';
import { type Checkpoint, makeCheckpoint, readCheckpoint } from '../seals/checkpoint.js';
import { turnOf } from '../../../common/scheduling/heavy-run.js';
import type { KeyChain } from '../seals/key-chain.js';
import { KeyChainsService } from '../seals/key-chains.service.js';

const PAGE = 500;
/** Memory of one step with its block. */
const STEP_BYTES = 1_024;

/**
 * Proves that one checkpoint continues another by listing the hashed members of each block in between. Linear in the number of blocks, as
 * there is no second tree over them. Works for every existing checkpoint.
 */
@Injectable()
export class LogConsistencyService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
  ) {}

  /**
   * @throws BAD_USER_INPUT unless both are checkpoints of this tenant and key, in order; FAILED_PRECONDITION if the blocks do not link them
   */
  async prove({ tenantId, budget, work }: Caller, given: { from: string; to: string }): Promise<LogConsistency> {
    const chain = await this.chains.of(tenantId);
    const [from, to] = [readOwn('from', given.from, tenantId, chain), readOwn('to', given.to, tenantId, chain)];
    if (from.number > to.number) throw badInput('from', 'must not be of a later block than to; swap them');
    const reached = Math.min(to.number, from.number + MAX_STEPS);
    await budget?.reserve((reached - from.number) * STEP_BYTES);
    const steps: LogConsistencyStep[] = [];
    let last = await blockOfNumber(this.database, tenantId, from.number);
    if (!last || last.hash !== from.hash) throw replaced(from.number);
    while (last.number < reached) {
      const page: BlockHead[] = await blocksAfter(this.database, tenantId, last.number, Math.min(PAGE, reached - last.number));
      if (page.length === 0) throw replaced(last.number + 1);
      for (const block of page) {
        if (block.number !== last.number + 1 || block.previousHash !== last.hash || blockHash(block) !== block.hash) {
          throw replaced(last.number + 1);
        }
        steps.push({ leafCount: block.leafCount, root: block.root });
        last = block;
      }
      await turnOf(work);
    }
    if (!chain.isSealed(last) || (last.number === to.number && last.hash !== to.hash)) throw replaced(last.number);
    return { fromBlock: from.number, toBlock: last.number, steps, checkpoint: makeCheckpoint(last, chain.signer!) };
  }
}

function readOwn(field: string, text: string, tenantId: string, chain: KeyChain): Checkpoint {
  const checkpoint = readCheckpoint(text, tenantId, field);
  if (!chain.has(checkpoint.publicKey)) throw badInput(field, 'is signed with another key; send a latestSeal of this log');
  return checkpoint;
}

const replaced = (number: number): AppError =>
  new AppError('FAILED_PRECONDITION', `Block ${number} does not continue the checkpoint; call verifyLogs for details`);
