import { isSealed, keyChangeOf } from './block.js';
import type { BlockHead } from './block-row.js';
import type { KeyChange } from './key-change.js';
import { type SealSigner, type SealVerifier, verifierOf } from './seal-signer.js';

interface Link extends KeyChange {
  number: number;
  verifier: SealVerifier;
}

/** Keys that sign the blocks of one log, from the oldest to the current. The old and the new key both sign each change. */
export class KeyChain {
  private readonly links: Link[] = [];
  /** Current key, which signs new blocks and checkpoints; undefined if the chain is broken. */
  readonly signer: SealSigner | undefined;
  /** First block with an invalid key change, or with a change to a key unknown to this node. */
  readonly brokenAt: { number: number; reason: string } | undefined;

  /**
   * @param changes the blocks of the log that change the key
   * @param signerOf returns the current key, given the last key that the log was changed to
   */
  constructor(changes: BlockHead[], signerOf: (last: string | undefined) => SealSigner | undefined) {
    for (const block of changes) {
      const change = keyChangeOf(block);
      const last = this.links.at(-1);
      if (!change || (last && last.newKey !== change.oldKey)) {
        this.brokenAt = broken(block, 'was changed or forged: it changes to a key that the previous key did not authorize');
        return;
      }
      this.links.push({ ...change, number: block.number, verifier: verifierOf(change.oldKey) });
    }
    this.signer = signerOf(this.links.at(-1)?.newKey);
    const [last] = changes.slice(-1);
    if (!this.signer && last) {
      this.brokenAt = broken(
        last,
        'changes to a key with a secret in neither SECRET_KEY nor SECRET_KEYS_OLD; add it to SECRET_KEYS_OLD',
      );
    }
  }

  /** Returns the public key of the signer of a block. */
  keyAt(number: number): string {
    return this.linkFrom(number)?.oldKey ?? this.signer!.publicKey;
  }

  /** Returns true if the key is or was in use. */
  has(publicKey: string): boolean {
    return this.signer?.publicKey === publicKey || this.links.some(({ oldKey }) => oldKey === publicKey);
  }

  /** Returns true if the key changes in a block from `from` to `to`. */
  changesWithin(from: number, to: number): boolean {
    return this.links.some(({ number }) => number >= from && number <= to);
  }

  /** Returns true if the block, except for leafIds, is unchanged since its signing by the key then in use. */
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
