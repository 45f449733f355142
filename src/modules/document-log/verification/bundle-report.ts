import type { BlockFault, BlockFaultKind } from './chain-verifier.js';

/** The first fault of a bundle. */
export class InvalidBundle extends Error {}

/** Keys and checkpoints that the reader of a bundle trusts, from another source. */
export interface Trusted {
  /** The bundle must be signed with one of these keys, or with keys that changes of the key link to one of them. */
  publicKeys: string[];
  /** Each a latestSeal that was kept. */
  checkpoints: string[];
}

export interface BundleReport {
  tenantId: string;
  fromBlock: number;
  blocks: number;
  records: number;
  edits: number;
  /** Records and edits whose content is not in the bundle. */
  hidden: number;
  /** Records whose values were erased, and blocks whose records were removed. */
  erasedRecords: number;
  removedBlocks: number;
  /** The last block of the bundle, and when it was sealed. */
  last: { number: number; sealedAt: string } | undefined;
  /** The numbers of the blocks of the given checkpoints. */
  checkpoints: number[];
  /** The keys of the blocks, from the oldest on. */
  publicKeys: string[];
}

/** Whether the fault is in the leaves of a block as a whole. */
export const ofLeaves = ({ kind }: BlockFault): boolean => ['leafCount', 'root', 'idsHash'].includes(kind);

const WORDS: Record<BlockFaultKind, (fault: BlockFault) => string> = {
  number: ({ block, count }) => `is block ${block.number}, where block ${count} must be`,
  signature: ({ block }) => `block ${block.number} is not what was signed`,
  previousHash: ({ block }) => `block ${block.number} does not follow the block before it`,
  oldKey: () => 'hands the log over from another key than the one in force',
  newSignature: () => 'is not signed by the new key',
  horizon: () => 'is not a horizon of this log',
  leafCount: ({ block, count }) => `block ${block.number} has ${block.leafCount} leaves, ${count} are given`,
  root: ({ block }) => `the records and edits of block ${block.number} do not have its root`,
  idsHash: ({ block }) => `the ids of the records and edits of block ${block.number} do not have its idsHash`,
};

/** Describes the fault of a block for the reader of a bundle. */
export const wordsOf = (fault: BlockFault): string => WORDS[fault.kind](fault);
