import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { isUniqueViolation, isWriteConflict } from '../../../common/base/database-faults.js';
import { SealKeys } from './seal-keys.js';
import { LeafService } from '../records/leaf.service.js';
import { AFTER_ALL } from '../records/records.queries.js';
import { makeChangeBlock } from './block.js';
import type { BlockHead } from './block-row.js';
import { newestBlocks, nextTenant } from './blocks.queries.js';
import { KeyChainsService } from './key-chains.service.js';
import { freshEdits, freshLogs } from './seals.queries.js';
import { SealsService } from './seals.service.js';

/** Attempts to write the next block in competition with the sealer. */
const MAX_TRIES = 100;
/** Maximum unsealed rows counted. */
const MAX_ROWS = 10_000;

/** Counts by secret id; undefined groups secrets unknown to this node. */
export type Counts = Map<string | undefined, number>;

/** Changes the key of all logs to that of SECRET_KEY. Each log takes one block, so an interrupted rotation can be repeated. */
@Injectable()
export class LogRotationService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
    private readonly keys: SealKeys,
    private readonly leaves: LeafService,
    private readonly seals: SealsService,
  ) {}

  /** Rotates the key of all logs. Skips logs whose last block no known key signed. Returns the number of changed logs. */
  async rotate(): Promise<number> {
    let count = 0;
    for await (const { tenantId } of this.newestOfAll()) if (await this.changeKey(tenantId)) count++;
    return count;
  }

  /** Counts the logs by the secret that signs their next block. */
  async logs(limit = Infinity): Promise<Counts> {
    const counts: Counts = new Map();
    let seen = 0;
    for await (const newest of this.newestOfAll()) {
      if (seen++ >= limit) break;
      add(counts, this.chains.after(newest)?.secretId);
    }
    return counts;
  }

  /** Counts unsealed records and edits, 10,000 of each at most, by the secret of their MACs. */
  async unsealed(): Promise<Counts> {
    const counts: Counts = new Map();
    const { seq, editSeq } = (await this.seals.sealedUpTo()) ?? { seq: 0n, editSeq: 0n };
    const logs = await freshLogs(this.database, { after: seq, upTo: AFTER_ALL, limit: MAX_ROWS });
    const edits = await freshEdits(this.database, { after: editSeq, upTo: AFTER_ALL, limit: MAX_ROWS });
    for (const row of [...logs, ...edits]) {
      add(counts, this.leaves.secretIdOf(row));
      await setImmediate();
    }
    return counts;
  }

  private async *newestOfAll(): AsyncGenerator<BlockHead> {
    for (let tenantId = await nextTenant(this.database, ''); tenantId; tenantId = await nextTenant(this.database, tenantId)) {
      const [newest] = await newestBlocks(this.database, [tenantId]);
      if (newest) yield newest;
    }
  }

  /**
   * Changes the key of one log. Returns false if nothing had to change.
   * @throws SERVICE_UNAVAILABLE if the sealer wrote the next block first in every attempt
   */
  private async changeKey(tenantId: string): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [newest] = await newestBlocks(this.database, [tenantId]);
      const signer = newest && this.chains.after(newest);
      if (!signer || signer === this.keys.current) return false;
      try {
        const block = makeChangeBlock(newest, signer, this.keys.current);
        await this.database.of(tenantId).logBlock.create({ data: { ...block, tenantId } });
        return true;
      } catch (error) {
        if (!isUniqueViolation(error) && !isWriteConflict(error)) throw error;
      }
    }
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The sealer wrote first to the log of tenant ${tenantId} in ${MAX_TRIES} attempts; run rotate again`,
    );
  }
}

function add(counts: Counts, id: string | undefined): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
