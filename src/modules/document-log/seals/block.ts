import type { Block, BlockHead } from './block-row.js';
import { rootOf, sha256Text } from '../records/merkle.js';
import { canonicalJson } from '../../../common/base/json.js';
import { isAccepted, type KeyChange, keyChangeText, keyLeafHash, makeKeyChange, readKeyChange } from './key-change.js';
import { type SealSigner, type SealVerifier, verifierOf } from './seal-signer.js';

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

/** The members of a block that its hash or its signature covers. */
export type SignedBlock = Omit<BlockHead, 'keyChange' | 'horizon'>;

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
    keyChange: null,
    horizon: null,
  };
  const hash = blockHash(unsigned);
  return { ...unsigned, hash, signature: signer.sign(signedText({ ...unsigned, hash })) };
}

/** Makes a block without records or edits, whose one leaf is about the log itself. It ends at the same seqs as the block before. */
export function makeEmptyBlock(previous: BlockHead, leafHash: string, signer: SealSigner): Block {
  const { tenantId, toSeq, toEditSeq } = previous;
  const hashes = [Buffer.from(leafHash, 'base64url')];
  return makeBlock({ tenantId, toSeq, toEditSeq }, previous, { ids: NO_IDS, hashes }, signer);
}

/** Makes the block that hands a log over to another key. */
export function makeChangeBlock(previous: BlockHead, signer: SealSigner, successor: SealSigner): Block {
  const keys = { oldKey: signer.publicKey, newKey: successor.publicKey };
  const block = makeEmptyBlock(previous, keyLeafHash(previous.tenantId, keys), signer);
  return { ...block, keyChange: keyChangeText(makeKeyChange(block.hash, keys, successor)) };
}

/** Returns the change of keys of a block; undefined if it has none, or one that was not signed by both keys. */
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

/** Whether the list of leaves that is stored with a block is the one that was signed. */
export const hasItsIds = ({ idsHash, leafIds }: Block): boolean => idsHash === idsHashOf(leafIds);

const NO_IDS_HASH = idsHashOf(JSON.stringify(NO_IDS));

export const isWithoutIds = ({ idsHash }: BlockHead): boolean => idsHash === NO_IDS_HASH;

/** Covers only fields that a LogProof and its record contain, so that their holder can compute it. */
export function blockHash(block: Pick<BlockHead, 'tenantId' | 'number' | 'leafCount' | 'root' | 'previousHash'>): string {
  const { tenantId, number, leafCount, root, previousHash } = block;
  return sha256Text(canonicalJson({ leafCount, number, previousHash, root, tenantId }));
}

/** Whether the block, but for leafIds, keyChange and horizon, is unchanged since it was signed. */
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
