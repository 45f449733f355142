// Room: Compares a log with its seals, proves single records, and verifies bundles offline.
import { isAccepted, type KeyChange, keyLeafHash } from '../seals/key-change.js';
import { type SealVerifier, verifierOf } from '../seals/seal-signer.js';
import { leafHashOf, rootOf } from '../records/merkle.js';
import { type Horizon, readHorizon } from '../retention/horizon.js';
import { idsHashOf, isSealed, type LeafIds, NO_BLOCK, type SignedBlock } from '../seals/block.js';

/** The member of a block that is wrong. */
export type BlockFaultKind =
  'number' | 'signature' | 'previousHash' | 'oldKey' | 'newSignature' | 'horizon' | 'leafCount' | 'root' | 'idsHash';

/** The first fault of a log. The front ends describe it for their callers, each in its own words. */
export class BlockFault extends Error {
  constructor(
    readonly kind: BlockFaultKind,
    readonly block: SignedBlock,
    /** The number that the block must have, or how many leaves were given. */
    readonly count = 0,
  ) {
    super(`block ${block.number}: ${kind}`);
  }
}

/** Where a verification begins. */
interface Start {
  /** The number of the first block, and the public key that signs it. */
  number: number;
  publicKey: string;
  /** The block before the first one, if it is known. */
  previous?: SignedBlock | undefined;
}

/**
 * Verifies the blocks of one log in their order, those of the database and those of a bundle alike: numbers, signatures, hashes, roots, lists
 * of ids, changes of the key and horizons. The caller begins each block, adds its leaves in the order of the tree, and ends the block. The
 * caller checks the content of a leaf against its hash. Each method throws the BlockFault that it finds.
 */
export class ChainVerifier {
  /** The keys of the blocks so far; the last one signs the next block. */
  readonly publicKeys: string[] = [];
  private previous: SignedBlock | undefined;
  private number: number;
  private verifier!: SealVerifier;
  private block!: SignedBlock;
  private ids!: LeafIds;
  private hashes!: Buffer[];
  /** The key that the present block hands the log over to. */
  private newKey: string | undefined;

  constructor({ number, publicKey, previous }: Start) {
    this.number = number;
    this.previous = previous;
    this.useKey(publicKey);
  }

  /** How many leaves of the present block were given. */
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

  /** Takes the leaf that hands the log over to another key. */
  addKeyChange(change: KeyChange): void {
    if (change.oldKey !== this.publicKeys.at(-1)) throw this.fault('oldKey');
    if (!isAccepted(this.block.hash, change)) throw this.fault('newSignature');
    this.newKey = change.newKey;
    this.addLeaf(keyLeafHash(this.block.tenantId, change));
  }

  /** Takes the leaf that says how far the log was removed. */
  addHorizon(content: string): Horizon {
    const horizon = readHorizon(content, this.block);
    if (!horizon) throw this.fault('horizon');
    this.addLeaf(leafHashOf(content));
    return horizon;
  }

  /** Ends a block of which all leaves were given. */
  end(): void {
    const { leafCount, root, idsHash } = this.block;
    if (this.hashes.length !== leafCount) throw this.fault('leafCount', this.hashes.length);
    if (rootOf(this.hashes).toString('base64url') !== root) throw this.fault('root');
    if (idsHashOf(JSON.stringify(this.ids)) !== idsHash) throw this.fault('idsHash');
    if (this.newKey !== undefined) this.useKey(this.newKey);
    this.endWithoutLeaves();
  }

  /** Ends a block whose records and edits were removed, or are not asked for. */
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
