import { timeOfId } from '../../../common/ids/ids.js';
import { idsHashOf, type LeafIds, NO_BLOCK } from '../seals/block.js';
import type { Block, BlockHead } from '../seals/block-row.js';
import type { KeyChain } from '../seals/key-chain.js';
import { brokenBlock } from './tamper-found.js';

/** Checks that a block is unchanged since it was signed, and follows `previous`. @throws TamperFound */
export function checkChain(block: Block, previous: BlockHead | undefined, chain: KeyChain): void {
  const number = previous ? previous.number + 1 : 0;
  if (block.number > number) throw brokenBlock(number, `Block ${number} was removed; block ${block.number} comes next`);
  if (block.number < number) throw brokenBlock(block.number, `Block ${block.number} was slipped in`);
  checkSeal(block, chain);
  if (block.idsHash !== idsHashOf(block.leafIds)) throw brokenBlock(number, `Block ${number} was changed: its list of leaves`);
  if (block.previousHash !== (previous?.hash ?? NO_BLOCK)) {
    throw brokenBlock(number, `Block ${number} does not follow the block before it, which was replaced`);
  }
}

export function checkSeal(block: BlockHead, chain: KeyChain): void {
  const { number } = block;
  if (!chain.isSealed(block)) throw brokenBlock(number, `Block ${number} was changed: it is not what was signed`);
}

/** The ids of a block's leaves, once the block is known to be unchanged. */
export interface Contents extends LeafIds {
  earliestMs: number;
  latestMs: number;
}

/** Reads the times from the ids, which are of version 7. */
export function contentsOf(block: Block): Contents {
  const ids = JSON.parse(block.leafIds) as LeafIds;
  let [earliestMs, latestMs] = [Infinity, -Infinity];
  for (const id of [...ids.logs, ...ids.edits.map(([edit]) => edit)]) {
    const timeMs = timeOfId(id);
    earliestMs = Math.min(earliestMs, timeMs);
    latestMs = Math.max(latestMs, timeMs);
  }
  return { ...ids, earliestMs, latestMs };
}
