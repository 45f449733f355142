import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { isSealed, keyChangeOf } from './block.js';
import type { BlockHead } from './block-row.js';
import { blocksAfter, hasKeyChange, keyChanges, newestBlocks } from './blocks.queries.js';
import { SealKeys } from './seal-keys.js';
import type { SealSigner } from './seal-signer.js';
import { KeyChain } from './key-chain.js';

const BEFORE_FIRST = -1;

/** Determines the signing key of each block. */
@Injectable()
export class KeyChainsService {
  constructor(
    private readonly database: Database,
    private readonly keys: SealKeys,
  ) {}

  /** Reads the keys of a log, at least those of blocks stored before the call. */
  async of(tenantId: string): Promise<KeyChain> {
    const onlyKey = await this.onlyKeyOf(tenantId);
    const changes = await keyChanges(this.database, tenantId);
    return new KeyChain(changes, (last) => (last === undefined ? onlyKey : this.keys.of(last)));
  }

  /** Returns the newest block of a log, and its keys up to that block. */
  async newest(tenantId: string): Promise<{ newest: BlockHead | undefined; chain: KeyChain }> {
    for (;;) {
      const [newest] = await newestBlocks(this.database, [tenantId]);
      const chain = await this.of(tenantId);
      // Read again if the key was changed in between.
      if (!newest || !chain.changesWithin(newest.number + 1, Infinity)) return { newest, chain };
    }
  }

  /** Returns the key that signs the next block; undefined if no known key signed the newest. */
  after(newest: BlockHead | undefined): SealSigner | undefined {
    if (!newest) return this.keys.current;
    if (newest.keyChange === null) return this.keys.all.find((signer) => isSealed(newest, signer));
    const change = keyChangeOf(newest);
    return change && this.keys.of(change.newKey);
  }

  /** Returns the key of the next block. After a forged block, which verifyLogs reports, it is the key of SECRET_KEY. */
  next(newest: BlockHead | undefined): SealSigner {
    const { all, current } = this.keys;
    return all.length === 1 ? current : (this.after(newest) ?? current);
  }

  /** Returns true if the block is signed by a known key, or changes to one. */
  isGenuine(block: BlockHead): boolean {
    return this.keys.all.some((signer) => isSealed(block, signer)) || this.after(block) !== undefined;
  }

  /**
   * Returns true if every record must have a MAC of a known secret. After a key change, the secret of older MACs may have left the
   * settings: blocks then protect the sealed records.
   */
  async areMacsComplete(): Promise<boolean> {
    return !(await hasKeyChange(this.database));
  }

  /** Returns the key of a log without key changes. */
  private async onlyKeyOf(tenantId: string): Promise<SealSigner> {
    const { all, current } = this.keys;
    if (all.length === 1) return current;
    const [newest] = await newestBlocks(this.database, [tenantId]);
    const [first] = await blocksAfter(this.database, tenantId, BEFORE_FIRST, 1);
    return (newest && this.after(newest)) ?? (first && this.after(first)) ?? current;
  }
}
