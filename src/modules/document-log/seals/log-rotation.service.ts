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

/** Attempts to write the next block, which the sealer can write first. */
const MAX_TRIES = 100;
/** Unsealed rows that are counted at most; usually there are few. */
const MAX_ROWS = 10_000;

/** Counts by the id of a secret; undefined stands for each secret that this node does not have. */
export type Counts = Map<string | undefined, number>;

/** Hands the logs over to the key of SECRET_KEY. One block hands over one log, so an interrupted rotation can be repeated. */
@Injectable()
export class LogRotationService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
    private readonly keys: SealKeys,
    private readonly leaves: LeafService,
    private readonly seals: SealsService,
  ) {}

  /** Returns how many logs were handed over. Skips logs whose last block no known key signed. */
  async rotate(): Promise<number> {
    let count = 0;
    for await (const { tenantId } of this.newestOfAll()) if (await this.handOver(tenantId)) count++;
    return count;
  }

  /** Counts the logs by the secret whose key signs their next block. */
  async logs(limit = Infinity): Promise<Counts> {
    const counts: Counts = new Map();
    let seen = 0;
    for await (const newest of this.newestOfAll()) {
      if (seen++ >= limit) break;
      add(counts, this.chains.after(newest)?.secretId);
    }
    return counts;
  }

  /** Counts the records and edits that are not sealed yet, 10,000 of each at most, by the secret of their MACs. */
  async unsealed(): Promise<Counts> {
    const counts: Counts = new Map();
    const { seq, editSeq } = (await this.seals.sealedUpTo()) ?? { seq: 0n, editSeq: 0n };
    const logs = await freshLogs(this.database, { after: seq, upTo: AFTER_ALL, limit: MAX_ROWS });
    const edits = await freshEdits(this.database, { after: editSeq, upTo: AFTER_ALL, limit: MAX_ROWS });
    for (const row of [...logs, ...edits]) {
      add(counts, this.leaves.madeWith(row));
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

  /** Returns whether the log was handed over. @throws SERVICE_UNAVAILABLE when the sealer wrote the next block first in every attempt */
  private async handOver(tenantId: string): Promise<boolean> {
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
      `The sealer wrote to the log of tenant ${tenantId} first, ${MAX_TRIES} times; run rotate again`,
    );
  }
}

function add(counts: Counts, id: string | undefined): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
