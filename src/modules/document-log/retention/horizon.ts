import { z } from 'zod';
import { canonicalJson } from '../../../common/base/json.js';
import { leafHashOf } from '../records/merkle.js';
import type { SealSigner } from '../seals/seal-signer.js';
import { isWithoutIds, makeEmptyBlock } from '../seals/block.js';
import type { Block, BlockHead } from '../seals/block-row.js';

/** The retention horizon: records up to it were removed. The sole leaf of its block. */
export interface Horizon {
  tenantId: string;
  /** The last block of which the records and edits were removed, with those of all blocks before it. */
  upToBlock: number;
  /** Removed records were created before this time. */
  olderThan: string;
  /** All that were ever removed from this log. */
  removedRecords: number;
  removedEdits: number;
}

const content = z.strictObject({
  olderThan: z.iso.datetime(),
  removedEdits: z.int().min(0),
  removedRecords: z.int().min(0),
  tenantId: z.string(),
  type: z.literal('horizon'),
  upToBlock: z.int().min(0),
});

/** Makes the block of a horizon, which ends at the same seqs as the block before. */
export function makeHorizonBlock(previous: BlockHead, horizon: Horizon, signer: SealSigner): Block & { horizon: string } {
  const text = canonicalJson({ ...horizon, type: 'horizon' });
  return { ...makeEmptyBlock(previous, leafHashOf(text), signer), horizon: text };
}

/** Reads the text of a horizon that a block has. Returns undefined for any other text, and for the horizon of another log or a later block. */
export function readHorizon(text: string, { tenantId, number }: Pick<BlockHead, 'tenantId' | 'number'>): Horizon | undefined {
  try {
    const { data } = content.safeParse(JSON.parse(text));
    const isOfBlock = data?.tenantId === tenantId && data.upToBlock < number;
    return isOfBlock && canonicalJson(data) === text ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the horizon of a block; undefined if the block has none, or has one that is not its only leaf. */
export function horizonOf(block: BlockHead): Horizon | undefined {
  const horizon = block.horizon === null ? undefined : readHorizon(block.horizon, block);
  const isLeaf = block.leafCount === 1 && block.root === leafHashOf(block.horizon ?? '') && isWithoutIds(block);
  return isLeaf ? horizon : undefined;
}
