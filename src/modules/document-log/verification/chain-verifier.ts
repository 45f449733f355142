// Room: Compares a log with its seals, proves single records, and verifies bundles offline.
import { isAccepted, type KeyChange, keyLeafHash } from '../seals/key-change.js';
import { type SealVerifier, verifierOf } from '../seals/seal-signer.js';
import { leafHashOf, rootOf } from '../records/merkle.js';
import { type Horizon, readHorizon } from '../retention/horizon.js';
import { idsHashOf, isSealed, type LeafIds, NO_BLOCK, type SignedBlock } from '../seals/block.js';

/** Invalid member of a block. */
export type BlockFaultKind =
  'number' | 'signature' | 'previousHash' | 'oldKey' | 'newSignature' | 'horizon' | 'leafCount' | 'root' | 'idsHash';

/** First fault of a log. Each caller converts it to its own message. */
export class BlockFault extends Error {
  constructor(
    readonly kind: BlockFaultKind,
    readonly block: SignedBlock,
    /** Expected block number, or number of leaves found. */
    readonly count = 0,
  ) {
    super(`block ${block.number}: ${kind}`);
  }
}

/** Start of a verification. */
interface Start {
  /** Number of the first block, and the public key of its signer. */
  number: number;
  publicKey: string;
  /** Block before the first one, if known. */
  previous?: SignedBlock | undefined;
}

/**
 * Verifies the blocks of one log in order, from the database or a bundle: numbers, signatures, hashes, roots, id lists, key changes and
 * horizons. The caller begins each block, adds its leaves in tree order, and ends it. The caller also checks each content against its leaf
 * hash. Each method throws the BlockFault it finds.
 */
export class ChainVerifier {
  /** Keys of the blocks so far. The last one signs the next block. */
  readonly publicKeys: string[] = [];
  private previous: SignedBlock | undefined;
  private number: number;
  private verifier!: SealVerifier;
  private block!: SignedBlock;
  private ids!: LeafIds;
  private hashes!: Buffer[];
  /** New key, if the current block changes it. */
  private newKey: string | undefined;

  constructor({ number, publicKey, previous }: Start) {
    this.number = number;
    this.previous = previous;
    this.useKey(publicKey);
  }

  /** Number of leaves added to the current block. */
  get leafCount(): number {
    return this.hashes.length;
  }

  begin(block: SignedBlock): void {
    this.block = block;
    this.ids = { edits: [], logs: [] };
    this.hashes = [];
    this.newKey = undefined;
    if (block.number !== this.number) throw this.fault('number', this.number);
    if (!isSealed(block, this.verifier)) throw this.fault('signature');
    const previousHash = this.previous?.hash ?? (block.number === 0 ? NO_BLOCK : block.previousHash);
    if (block.previousHash !== previousHash) throw this.fault('previousHash');
  }

  addRecord(id: string, leafHash: string): void {
    this.ids.logs.push(id);
    this.addLeaf(leafHash);
  }

  addEdit(id: string, logId: string, leafHash: string): void {
    this.ids.edits.push([id, logId]);
    this.addLeaf(leafHash);
  }

  /** Adds the leaf of a key change. */
  addKeyChange(change: KeyChange): void {
    if (change.oldKey !== this.publicKeys.at(-1)) throw this.fault('oldKey');
    if (!isAccepted(this.block.hash, change)) throw this.fault('newSignature');
    this.newKey = change.newKey;
    this.addLeaf(keyLeafHash(this.block.tenantId, change));
  }

  /** Adds the leaf of a retention horizon. */
  addHorizon(content: string): Horizon {
    const horizon = readHorizon(content, this.block);
    if (!horizon) throw this.fault('horizon');
    this.addLeaf(leafHashOf(content));
    return horizon;
  }

  /** Ends a block after all of its leaves. */
  end(): void {
    const { leafCount, root, idsHash } = this.block;
    if (this.hashes.length !== leafCount) throw this.fault('leafCount', this.hashes.length);
    if (rootOf(this.hashes).toString('base64url') !== root) throw this.fault('root');
    if (idsHashOf(JSON.stringify(this.ids)) !== idsHash) throw this.fault('idsHash');
    if (this.newKey !== undefined) this.useKey(this.newKey);
    this.endWithoutLeaves();
  }

  /** Ends a block whose records and edits were removed or are not requested. */
  endWithoutLeaves(): void {
    this.previous = this.block;
    this.number = this.block.number + 1;
  }

  private addLeaf(leafHash: string): void {
    this.hashes.push(Buffer.from(leafHash, 'base64url'));
  }

  private useKey(publicKey: string): void {
    this.publicKeys.push(publicKey);
    this.verifier = verifierOf(publicKey);
  }

  private fault(kind: BlockFaultKind, count?: number): BlockFault {
    return new BlockFault(kind, this.block, count);
  }
}
