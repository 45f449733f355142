import { isSealed, keyChangeOf } from './block.js';
import type { BlockHead } from './block-row.js';
import type { KeyChange } from './key-change.js';
import { type SealSigner, type SealVerifier, verifierOf } from './seal-signer.js';

interface Link extends KeyChange {
  number: number;
  verifier: SealVerifier;
}

/** The keys that sign the blocks of one log, from the oldest to the one in force. Each change is signed by the old and the new key. */
export class KeyChain {
  private readonly links: Link[] = [];
  /** The key in force, which new blocks and checkpoints are signed with; undefined when the chain is broken. */
  readonly signer: SealSigner | undefined;
  /** The first block with a wrong change of the key, or with a change to a key whose secret this node does not have. */
  readonly brokenAt: { number: number; reason: string } | undefined;

  /**
   * @param changes the blocks of the log that change the key
   * @param signerOf the key in force, where `last` is the last one that the log was handed over to
   */
  constructor(changes: BlockHead[], signerOf: (last: string | undefined) => SealSigner | undefined) {
    for (const block of changes) {
      const change = keyChangeOf(block);
      const last = this.links.at(-1);
      if (!change || (last && last.newKey !== change.oldKey)) {
        this.brokenAt = broken(block, 'was changed or forged: it hands the log over to a key that the one before did not name');
        return;
      }
      this.links.push({ ...change, number: block.number, verifier: verifierOf(change.oldKey) });
    }
    this.signer = signerOf(this.links.at(-1)?.newKey);
    const [last] = changes.slice(-1);
    if (!this.signer && last) {
      this.brokenAt = broken(last, 'hands the log over to a key whose secret is neither in SECRET_KEY nor in SECRET_KEYS_OLD');
    }
  }

  /** The public key that signs the block of a number. */
  keyAt(number: number): string {
    return this.linkFrom(number)?.oldKey ?? this.signer!.publicKey;
  }

  /** Whether a key was ever in force, or is. */
  has(publicKey: string): boolean {
    return this.signer?.publicKey === publicKey || this.links.some(({ oldKey }) => oldKey === publicKey);
  }

  /** Whether the key changes in one of the blocks from `from` to `to`. */
  changesWithin(from: number, to: number): boolean {
    return this.links.some(({ number }) => number >= from && number <= to);
  }

  /** Whether a block, but for leafIds, is unchanged since it was signed by the key that was in force. */
  isSealed(block: BlockHead): boolean {
    const verifier = this.linkFrom(block.number)?.verifier ?? this.signer;
    return this.brokenAt === undefined && verifier !== undefined && isSealed(block, verifier) && this.isAsLinked(block);
  }

  private isAsLinked({ number, keyChange }: BlockHead): boolean {
    return (keyChange !== null) === this.links.some((link) => link.number === number);
  }

  private linkFrom(number: number): Link | undefined {
    return this.links.find((link) => link.number >= number);
  }
}

const broken = ({ number }: BlockHead, what: string) => ({ number, reason: `Block ${number} ${what}` });
