import { timeOfId } from '../../../common/ids/ids.js';
import { idsHashOf, isSealed, type LeafIds, NO_BLOCK } from './block.js';
import type { Block, BlockHead } from './block-row.js';
import type { SealSigner } from './seal-signer.js';
import { brokenBlock } from './tamper-found.js';

/** Whether a block is what was signed, and the one that comes after `previous`. @throws TamperFound */
export function checkChain(block: Block, previous: BlockHead | undefined, signer: SealSigner): void {
  const number = previous ? previous.number + 1 : 0;
  if (block.number > number) throw brokenBlock(number, `Block ${number} was removed; block ${block.number} comes next`);
  if (block.number < number) throw brokenBlock(block.number, `Block ${block.number} was slipped in`);
  checkSeal(block, signer);
  if (block.idsHash !== idsHashOf(block.leafIds)) throw brokenBlock(number, `Block ${number} was changed: its list of leaves`);
  if (block.previousHash !== (previous?.hash ?? NO_BLOCK)) {
    throw brokenBlock(number, `Block ${number} does not follow the block before it, which was replaced`);
  }
}

export function checkSeal(block: BlockHead, signer: SealSigner): void {
  const { number } = block;
  if (!isSealed(block, signer)) throw brokenBlock(number, `Block ${number} was changed: it is not what was signed`);
}

/** What the leaves of a block are, once it is known to be what was signed. */
export interface Contents extends LeafIds {
  earliestMs: number;
  latestMs: number;
}

/** Ids are of version 7, so they say when they were made. */
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
