import type { Block, BlockHead } from './block-row.js';
import { sha256Text } from '../leaves/hashing.js';
import { canonicalJson } from '../../../common/json/canonical-json.js';
import { rootOf } from '../leaves/merkle.js';
import type { SealSigner } from './seal-signer.js';

/** The previous hash of a tenant's first block: 32 zero bytes. */
export const NO_BLOCK = Buffer.alloc(32).toString('base64url');

export interface LeafIds {
  edits: [id: string, logId: string][];
  logs: string[];
}

/** The leaves of a block. The hashes of the records come first, then those of the edits. */
export interface BlockLeaves {
  ids: LeafIds;
  hashes: Buffer[];
}

/** The tenant of a block, and how far it reaches. */
type BlockEnd = Pick<BlockHead, 'tenantId' | 'toSeq' | 'toEditSeq'>;

export function makeBlock(end: BlockEnd, previous: BlockHead | undefined, leaves: BlockLeaves, signer: SealSigner): Block {
  const leafIds = JSON.stringify({ edits: leaves.ids.edits, logs: leaves.ids.logs });
  const unsigned = {
    ...end,
    number: previous ? previous.number + 1 : 0,
    leafCount: leaves.hashes.length,
    leafIds,
    idsHash: idsHashOf(leafIds),
    root: rootOf(leaves.hashes).toString('base64url'),
    previousHash: previous?.hash ?? NO_BLOCK,
    sealedAt: new Date(),
  };
  const hash = blockHash(unsigned);
  return { ...unsigned, hash, signature: signer.sign(signedText({ ...unsigned, hash })) };
}

export const idsHashOf = (leafIds: string): string => sha256Text(leafIds);

/** Covers only fields that a LogProof and its record contain, so that their holder can compute it. */
export function blockHash(block: Pick<BlockHead, 'tenantId' | 'number' | 'leafCount' | 'root' | 'previousHash'>): string {
  const { tenantId, number, leafCount, root, previousHash } = block;
  return sha256Text(canonicalJson({ leafCount, number, previousHash, root, tenantId }));
}

/** Whether the block, but for leafIds, is unchanged since it was signed. */
export const isSealed = (block: BlockHead, signer: Pick<SealSigner, 'verify'>): boolean =>
  isTime(block.sealedAt) && block.hash === blockHash(block) && signer.verify(signedText(block), block.signature);

const isTime = (date: Date): boolean => !Number.isNaN(date.getTime());

function signedText(block: Pick<BlockHead, 'hash' | 'idsHash' | 'sealedAt' | 'toEditSeq' | 'toSeq'>): string {
  return canonicalJson({
    hash: block.hash,
    idsHash: block.idsHash,
    sealedAt: block.sealedAt.toISOString(),
    toEditSeq: String(block.toEditSeq),
    toSeq: String(block.toSeq),
    type: 'block',
  });
}
