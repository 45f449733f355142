import type { BlockFault, BlockFaultKind } from './chain-verifier.js';

/** First fault of a bundle. */
export class InvalidBundle extends Error {}

/** Keys and checkpoints that the verifier trusts, from an independent source. */
export interface Trusted {
  /** Trusted keys. One of them must sign the bundle, or be linked to its signers by key changes. */
  publicKeys: string[];
  /** Stored latestSeals. */
  checkpoints: string[];
}

export interface BundleReport {
  tenantId: string;
  fromBlock: number;
  blocks: number;
  records: number;
  edits: number;
  /** Records and edits without content in the bundle. */
  hidden: number;
  /** Records with erased values, and blocks with removed records. */
  erasedRecords: number;
  removedBlocks: number;
  /** Last block of the bundle, and its sealing time. */
  last: { number: number; sealedAt: string } | undefined;
  /** Block numbers of the given checkpoints. */
  checkpoints: number[];
  /** Keys of the blocks, oldest first. */
  publicKeys: string[];
}

/** Returns true for a fault in the leaves of a block as a whole. */
export const ofLeaves = ({ kind }: BlockFault): boolean => ['leafCount', 'root', 'idsHash'].includes(kind);

const WORDS: Record<BlockFaultKind, (fault: BlockFault) => string> = {
  number: ({ block, count }) => `is block ${block.number}; block ${count} must come here`,
  signature: ({ block }) => `block ${block.number} does not match its signature`,
  previousHash: ({ block }) => `block ${block.number} does not follow the block before it`,
  oldKey: () => 'changes the key from another one than the current key',
  newSignature: () => 'is not signed by the new key',
  horizon: () => 'is not a retention horizon of this log',
  leafCount: ({ block, count }) => `block ${block.number} has ${block.leafCount} leaves, the bundle contains ${count}`,
  root: ({ block }) => `the records and edits of block ${block.number} do not match its root`,
  idsHash: ({ block }) => `the ids of the records and edits of block ${block.number} do not match its idsHash`,
};

/** Describes the fault of a block for a user of the verifier. */
export const wordsOf = (fault: BlockFault): string => WORDS[fault.kind](fault);
