import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { AppError } from '../../../common/base/app-error.js';
import { isUniqueViolation, isWriteConflict } from '../../../common/base/database-faults.js';
import { timeOfId } from '../../../common/base/ids.js';
import { hasItsIds, type LeafIds } from '../seals/block.js';
import { logChange } from '../records/log-events.js';
import type { Block, BlockHead } from '../seals/block-row.js';
import { blocksFrom } from '../seals/blocks.queries.js';
import type { KeyChain } from '../seals/key-chain.js';
import { KeyChainsService } from '../seals/key-chains.service.js';
import { type Horizon, makeHorizonBlock } from './horizon.js';
import { currentHorizon, deletions } from './retention.queries.js';

/** Attempts to write the next block in competition with the sealer. */
const MAX_TRIES = 100;

/** Result of one bounded step. */
export interface RetentionStep {
  removed: number;
  /** True if further records may remain. */
  more: boolean;
}

/** Leaves removed by one step, and the horizon that documents it. */
interface Plan {
  ids: LeafIds;
  horizon: Horizon;
  more: boolean;
}

/** Removes the oldest records of a log. Keeps its blocks, and appends one with the new horizon; see docs/document-log-seals.md. */
@Injectable()
export class LogRetentionService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
    private readonly outbox: EventOutbox,
  ) {}

  /**
   * Removes the records and edits of whole blocks, from the start of the log up to the first block with a record created at or after a
   * time. Each call removes blocks of up to `limit` records and edits, at least one block, in one transaction. Call it until `more` is
   * false.
   * @throws FAILED_PRECONDITION if a block was changed: nothing is removed, to preserve the evidence. SERVICE_UNAVAILABLE if the sealer
   * wrote the next block first in every attempt
   */
  async remove(tenantId: string, olderThan: Date, { limit }: { limit: number }): Promise<RetentionStep> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { newest, chain } = await this.chains.newest(tenantId);
      const plan = newest && (await this.plan({ tenantId, olderThan, limit, chain }));
      if (!plan || !newest) return { removed: 0, more: false };
      if (await this.write(newest, chain, plan)) return { removed: plan.ids.logs.length, more: plan.more };
    }
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The sealer wrote first to the log of tenant ${tenantId} in ${MAX_TRIES} attempts; retry later`,
    );
  }

  /** Plans a step. Returns undefined if there is nothing to remove. */
  private async plan(asked: { tenantId: string; olderThan: Date; limit: number; chain: KeyChain }): Promise<Plan | undefined> {
    const { tenantId, olderThan, limit, chain } = asked;
    const isSealed = (block: BlockHead): boolean => chain.isSealed(block);
    const current = await currentHorizon(this.database, tenantId);
    if (current && (!current.horizon || !isSealed(current.block))) throw changed(current.block.number);
    const before = current?.horizon;
    const ids: LeafIds = { logs: [], edits: [] };
    const count = (): number => ids.logs.length + ids.edits.length;
    let upToBlock = before?.upToBlock ?? -1;
    let isEnd = false;
    // Skip blocks of earlier horizons, which can be numerous and hold nothing to remove.
    for (let isFull = false; count() === 0 && !isEnd && !isFull;) {
      const page: Block[] = await blocksFrom(this.database, { tenantId, number: upToBlock + 1, maxLeaves: limit });
      isEnd = page.length === 0;
      for (const block of page) {
        if (!isSealed(block) || !hasItsIds(block)) throw changed(block.number);
        const { logs, edits } = JSON.parse(block.leafIds) as LeafIds;
        isEnd = logs.some((id) => timeOfId(id) >= olderThan.getTime());
        isFull = count() > 0 && count() + logs.length + edits.length > limit;
        if (isEnd || isFull) break;
        ids.logs.push(...logs);
        ids.edits.push(...edits);
        upToBlock = block.number;
      }
      await setImmediate();
    }
    if (count() === 0) return undefined;
    const removedRecords = (before?.removedRecords ?? 0) + ids.logs.length;
    const removedEdits = (before?.removedEdits ?? 0) + ids.edits.length;
    const horizon = { tenantId, upToBlock, olderThan: olderThan.toISOString(), removedRecords, removedEdits };
    return { ids, horizon, more: !isEnd };
  }

  /** Removes the leaves and writes the block. Returns false if the sealer wrote the next block first. */
  private async write(newest: BlockHead, chain: KeyChain, { ids, horizon }: Plan): Promise<boolean> {
    if (!chain.isSealed(newest)) throw changed(newest.number);
    const { tenantId } = newest;
    const block = makeHorizonBlock(newest, horizon, chain.signer!);
    try {
      await this.database.of(tenantId).$transaction(async (own) => {
        await own.logBlock.create({ data: { ...block, tenantId } });
        for (const statement of deletions(this.database.dialect, tenantId, ids)) await own.$executeRaw(statement);
        const { upToBlock, olderThan } = horizon;
        const data = { removedRecords: ids.logs.length, removedEdits: ids.edits.length, upToBlock, olderThan };
        const removed = { ...logChange(tenantId, 'LOGS_REMOVED'), subject: String(block.number), data };
        await this.outbox.store(own.acrossTenants('an event brings its tenant'), [removed]);
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error) || isWriteConflict(error)) return false;
      throw error;
    }
  }
}

const changed = (number: number): AppError =>
  new AppError('FAILED_PRECONDITION', `Block ${number} was changed, nothing was removed; call verifyLogs for details`);
