import type { Block, BlockHead } from './block-row.js';
import { rootOf, sha256Text } from '../records/merkle.js';
import { canonicalJson } from '../../../common/base/json.js';
import { isAccepted, type KeyChange, keyChangeText, keyLeafHash, makeKeyChange, readKeyChange } from './key-change.js';
import { type SealSigner, type SealVerifier, verifierOf } from './seal-signer.js';

/** Previous hash of a tenant's first block: 32 zero bytes. */
export const NO_BLOCK = Buffer.alloc(32).toString('base64url');

export interface LeafIds {
  edits: [id: string, logId: string][];
  logs: string[];
}

/** Leaves of a block: the hashes of its records, then those of its edits. */
export interface BlockLeaves {
  ids: LeafIds;
  hashes: Buffer[];
}

/** Members of a block covered by its hash or its signature. */
export type SignedBlock = Omit<BlockHead, 'keyChange' | 'horizon'>;

/** Tenant of a block, and its last seqs. */
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
    keyChange: null,
    horizon: null,
  };
  const hash = blockHash(unsigned);
  return { ...unsigned, hash, signature: signer.sign(signedText({ ...unsigned, hash })) };
}

/** Builds a block whose only leaf concerns the log itself. It ends at the seqs of its predecessor. */
export function makeEmptyBlock(previous: BlockHead, leafHash: string, signer: SealSigner): Block {
  const { tenantId, toSeq, toEditSeq } = previous;
  const hashes = [Buffer.from(leafHash, 'base64url')];
  return makeBlock({ tenantId, toSeq, toEditSeq }, previous, { ids: NO_IDS, hashes }, signer);
}

/** Builds the block that changes the key of a log. */
export function makeChangeBlock(previous: BlockHead, signer: SealSigner, successor: SealSigner): Block {
  const keys = { oldKey: signer.publicKey, newKey: successor.publicKey };
  const block = makeEmptyBlock(previous, keyLeafHash(previous.tenantId, keys), signer);
  return { ...block, keyChange: keyChangeText(makeKeyChange(block.hash, keys, successor)) };
}

/** Returns the key change of a block, or undefined unless both keys signed one. */
export function keyChangeOf(block: BlockHead): KeyChange | undefined {
  const change = block.keyChange === null ? undefined : readKeyChange(block.keyChange);
  const isSigned =
    change &&
    block.leafCount === 1 &&
    block.root === keyLeafHash(block.tenantId, change) &&
    isWithoutIds(block) &&
    isAccepted(block.hash, change) &&
    isSealed(block, verifierOf(change.oldKey));
  return isSigned ? change : undefined;
}

export const NO_IDS: LeafIds = { edits: [], logs: [] };

export const idsHashOf = (leafIds: string): string => sha256Text(leafIds);

/** Returns true if the stored list of leaves is the signed one. */
export const hasItsIds = ({ idsHash, leafIds }: Block): boolean => idsHash === idsHashOf(leafIds);

const NO_IDS_HASH = idsHashOf(JSON.stringify(NO_IDS));

export const isWithoutIds = ({ idsHash }: BlockHead): boolean => idsHash === NO_IDS_HASH;

/** Computes the hash from fields contained in a LogProof and its record, so that their holder can verify it. */
export function blockHash(block: Pick<BlockHead, 'tenantId' | 'number' | 'leafCount' | 'root' | 'previousHash'>): string {
  const { tenantId, number, leafCount, root, previousHash } = block;
  return sha256Text(canonicalJson({ leafCount, number, previousHash, root, tenantId }));
}

/** Returns true if the signed members of the block, all but leafIds, keyChange and horizon, are unchanged. */
export const isSealed = (block: SignedBlock, signer: SealVerifier): boolean =>
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
