/** The first mistake in a bundle. */
export class InvalidBundle extends Error {}

/** Facts that the reader of a bundle has from elsewhere, to check it against. */
export interface Trusted {
  /** The bundle must be signed with one of these, or with keys that lead to or from one. */
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
