import { z } from 'zod';
import { canonicalJson } from '../../../common/base/json.js';
import { leafHashOf } from '../records/merkle.js';
import type { SealSigner } from '../seals/seal-signer.js';
import { isWithoutIds, makeEmptyBlock } from '../seals/block.js';
import type { Block, BlockHead } from '../seals/block-row.js';

/** Retention horizon: the point up to which records were removed. Sole leaf of its block. */
export interface Horizon {
  tenantId: string;
  /** Last block with removed records and edits; all earlier blocks are included. */
  upToBlock: number;
  /** Upper bound of the creation times of removed records. */
  olderThan: string;
  /** Total ever removed from this log. */
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

/** Builds the block of a horizon. It ends at the seqs of its predecessor. */
export function makeHorizonBlock(previous: BlockHead, horizon: Horizon, signer: SealSigner): Block & { horizon: string } {
  const text = canonicalJson({ ...horizon, type: 'horizon' });
  return { ...makeEmptyBlock(previous, leafHashOf(text), signer), horizon: text };
}

/** Parses the horizon of a block. Returns undefined for other text, and for the horizon of another log or a later block. */
export function readHorizon(text: string, { tenantId, number }: Pick<BlockHead, 'tenantId' | 'number'>): Horizon | undefined {
  try {
    const { data } = content.safeParse(JSON.parse(text));
    const isOfBlock = data?.tenantId === tenantId && data.upToBlock < number;
    return isOfBlock && canonicalJson(data) === text ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the horizon of a block, or undefined unless it is the block's only leaf. */
export function horizonOf(block: BlockHead): Horizon | undefined {
  const horizon = block.horizon === null ? undefined : readHorizon(block.horizon, block);
  const isLeaf = block.leafCount === 1 && block.root === leafHashOf(block.horizon ?? '') && isWithoutIds(block);
  return isLeaf ? horizon : undefined;
}
