import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { isSealed, keyChangeOf } from './block.js';
import type { BlockHead } from './block-row.js';
import { blocksAfter, hasKeyChange, keyChanges, newestBlocks } from './blocks.queries.js';
import { SealKeys } from './seal-keys.js';
import type { SealSigner } from './seal-signer.js';
import { KeyChain } from './key-chain.js';

const BEFORE_FIRST = -1;

/** Tells which key signs which block of a log. */
@Injectable()
export class KeyChainsService {
  constructor(
    private readonly database: Database,
    private readonly keys: SealKeys,
  ) {}

  /** Reads the keys of a log, among them the key of each block that was stored before the call. */
  async of(tenantId: string): Promise<KeyChain> {
    const onlyKey = await this.onlyKeyOf(tenantId);
    const changes = await keyChanges(this.database, tenantId);
    return new KeyChain(changes, (last) => (last === undefined ? onlyKey : this.keys.of(last)));
  }

  /** Returns the newest block of a log, and the keys up to it. */
  async newest(tenantId: string): Promise<{ newest: BlockHead | undefined; chain: KeyChain }> {
    for (;;) {
      const [newest] = await newestBlocks(this.database, [tenantId]);
      const chain = await this.of(tenantId);
      // A change of the key may have become the newest block in between.
      if (!newest || !chain.changesWithin(newest.number + 1, Infinity)) return { newest, chain };
    }
  }

  /** Returns the key that signs the block after the newest one; undefined if no known key signed the newest one. */
  after(newest: BlockHead | undefined): SealSigner | undefined {
    if (!newest) return this.keys.current;
    if (newest.keyChange === null) return this.keys.all.find((signer) => isSealed(newest, signer));
    const change = keyChangeOf(newest);
    return change && this.keys.of(change.newKey);
  }

  /** Returns the key of the next block: after a forged block, the key of SECRET_KEY, since verifyLogs names the forged block. */
  next(newest: BlockHead | undefined): SealSigner {
    const { all, current } = this.keys;
    return all.length === 1 ? current : (this.after(newest) ?? current);
  }

  /** Whether a block is signed by a known key, or hands its log over to one. */
  isGenuine(block: BlockHead): boolean {
    return this.keys.all.some((signer) => isSealed(block, signer)) || this.after(block) !== undefined;
  }

  /**
   * Whether each record must have a MAC that a known secret made. Once a key was changed, the secret of older MACs may have been removed
   * from the settings; sealed records are then protected by their blocks.
   */
  async areMacsComplete(): Promise<boolean> {
    return !(await hasKeyChange(this.database));
  }

  /** Returns the key of a log that was not handed over. */
  private async onlyKeyOf(tenantId: string): Promise<SealSigner> {
    const { all, current } = this.keys;
    if (all.length === 1) return current;
    const [newest] = await newestBlocks(this.database, [tenantId]);
    const [first] = await blocksAfter(this.database, tenantId, BEFORE_FIRST, 1);
    return (newest && this.after(newest)) ?? (first && this.after(first)) ?? current;
  }
}
