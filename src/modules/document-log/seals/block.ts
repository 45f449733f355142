import type { Block, BlockHead } from './block-row.js';
import { sha256Text } from './hashing.js';
import { canonicalJson } from '../../../common/json/canonical-json.js';
import { rootOf } from './merkle.js';
import type { SealSigner } from './seal-signer.js';

/** What the first block of a tenant has in place of a hash before it: 32 zero bytes. */
export const NO_BLOCK = Buffer.alloc(32).toString('base64url');

export interface LeafIds {
  edits: [id: string, logId: string][];
  logs: string[];
}

/** What a block is made of. The hashes are of the records, then of the edits. */
export interface Leafs {
  ids: LeafIds;
  hashes: Buffer[];
}

interface Place {
  tenantId: string;
  toSeq: bigint;
  toEditSeq: bigint;
}

export function makeBlock(place: Place, previous: BlockHead | undefined, leafs: Leafs, signer: SealSigner): Block {
  const leafIds = JSON.stringify({ edits: leafs.ids.edits, logs: leafs.ids.logs });
  const unsigned = {
    ...place,
    number: previous ? previous.number + 1 : 0,
    leafCount: leafs.hashes.length,
    leafIds,
    idsHash: idsHashOf(leafIds),
    root: rootOf(leafs.hashes).toString('base64url'),
    previousHash: previous?.hash ?? NO_BLOCK,
    sealedAt: new Date(),
  };
  const hash = blockHash(unsigned);
  return { ...unsigned, hash, signature: signer.sign(signedText({ ...unsigned, hash })) };
}

export const idsHashOf = (leafIds: string): string => sha256Text(leafIds);

/** Made of what a LogProof shows and the record itself says, so that its holder needs nothing else to compute it. */
export function blockHash(block: Pick<BlockHead, 'tenantId' | 'number' | 'leafCount' | 'root' | 'previousHash'>): string {
  const { tenantId, number, leafCount, root, previousHash } = block;
  return sha256Text(canonicalJson({ leafCount, number, previousHash, root, tenantId }));
}

/** Whether everything in the block, but for leafIds, is what was signed. */
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
