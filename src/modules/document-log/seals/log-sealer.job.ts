import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isUniqueViolation, isWriteConflict } from '../../../common/base/database-faults.js';
import { Database } from '../../../common/database/database.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import { Logger } from '../../../common/logging/logger.js';
import { SealMetrics } from './seal-metrics.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { type BlockLeaves, makeBlock } from './block.js';
import type { Block, BlockHead } from './block-row.js';
import { newestBlocks } from './blocks.queries.js';
import { LeafService } from '../records/leaf.service.js';
import { KeyChainsService } from './key-chains.service.js';
import { SealsService } from './seals.service.js';
import { committedUpTo, type FreshEdit, freshEdits, type FreshLeaf, freshLogs, type Position } from './seals.queries.js';

const EVERY_MS = 1_000;
/** Records, and likewise edits, read per batch. A block has at most twice as many leaves. */
const RECORDS_PER_READ = 5_000;
/** Rejected rows remembered, to log each once. */
const MAX_REFUSED = 5_000;
/** MACs checked before yielding to other work. */
const CHECKS_PER_SLICE = 1_000;

/** New rows of all tenants, without rows with an invalid MAC. */
interface Batch {
  logs: FreshLeaf[];
  edits: FreshEdit[];
  /** Position of the last row read. */
  end: Position;
  /** True if no committed row remains after this batch. */
  isLast: boolean;
}

/**
 * Seals new rows in one block per tenant. Commits all blocks of a batch together, so the greatest seqs of any block bound the sealed rows
 * of all tenants. A block covers a range of seqs: marking each record as sealed would write it twice.
 */
@Injectable()
export class LogSealer {
  /** Rejected rows. Each is read again every second, but logged and counted once. */
  private refused = new Set<string>();
  private isWaiting = false;
  /** Last sealed position seen by this node. */
  private seen: Position | undefined;

  constructor(
    private readonly database: Database,
    private readonly leaves: LeafService,
    private readonly chains: KeyChainsService,
    private readonly seals: SealsService,
    private readonly metrics: SealMetrics,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
  ) {
    jobs.add({ name: 'log-sealer', everyMs: EVERY_MS, due: () => this.isDue(), run: (signal) => this.seal(signal) });
  }

  private isDue(): Sql {
    if (!this.seen) return sql`1 = 1`;
    const { seq, editSeq } = this.seen;
    return sql`EXISTS (SELECT 1 FROM "Log" WHERE "seq" > ${seq}) OR EXISTS (SELECT 1 FROM "LogEdit" WHERE "seq" > ${editSeq})`;
  }

  async seal(signal?: AbortSignal): Promise<void> {
    let sealed = await this.seals.sealedUpTo();
    this.seen = sealed;
    this.metrics.sealingBlocked.set(sealed ? 0 : 1);
    if (!sealed) return this.wait();
    this.isWaiting = false;
    const committed = await committedUpTo(this.database);
    for (let at = sealed, isLast = false; !isLast && !signal?.aborted;) {
      const batch = await this.read(at, committed);
      sealed = await this.write(sealed, batch);
      if (!sealed) return;
      this.seen = sealed;
      ({ end: at, isLast } = batch);
      await setImmediate();
    }
  }

  /** Logs once that sealing is suspended. Sealing with an unknown key would invalidate every log permanently. */
  private wait(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.logger.error(
      'sealing of the log is suspended: no block is signed with a known secret; add the previous SECRET_KEY to SECRET_KEYS_OLD',
    );
  }

  private async read(after: Position, upTo: Position): Promise<Batch> {
    const logs = await freshLogs(this.database, { after: after.seq, upTo: upTo.seq, limit: RECORDS_PER_READ });
    await setImmediate();
    const edits = await freshEdits(this.database, { after: after.editSeq, upTo: upTo.editSeq, limit: RECORDS_PER_READ });
    return {
      logs: await this.withRightMac(logs),
      edits: await this.withRightMac(edits),
      end: { seq: logs.at(-1)?.seq ?? after.seq, editSeq: edits.at(-1)?.seq ?? after.editSeq },
      isLast: logs.length < RECORDS_PER_READ && edits.length < RECORDS_PER_READ,
    };
  }

  private async withRightMac<T extends FreshLeaf>(rows: T[]): Promise<T[]> {
    const right: T[] = [];
    for (const [index, row] of rows.entries()) {
      if (this.leaves.isAuthentic(row)) right.push(row);
      else this.refuse(row);
      if (index % CHECKS_PER_SLICE === CHECKS_PER_SLICE - 1) await setImmediate();
    }
    return right;
  }

  private refuse({ id, tenantId, seq }: FreshLeaf): void {
    if (this.refused.has(id)) return;
    if (this.refused.size >= MAX_REFUSED) this.refused = new Set();
    this.refused.add(id);
    this.metrics.sealRefusals.inc();
    this.logger.error(
      { tenantId, id, seq: String(seq) },
      'a log row has an invalid MAC and was not sealed; call verifyLogs for details',
    );
  }

  /** Writes the blocks of a batch. Returns the new sealed position; undefined if another node seals, which stops this one. */
  private async write(sealed: Position, { logs, edits }: Batch): Promise<Position | undefined> {
    const tenants = byTenant(logs, edits);
    if (tenants.size === 0) return sealed;
    const newest = await newestBlocks(this.database, [...tenants.keys()]);
    const isBeyond = ({ toSeq, toEditSeq }: BlockHead) => toSeq > sealed.seq || toEditSeq > sealed.editSeq;
    if (newest.some((block) => isBeyond(block) && this.chains.isGenuine(block))) return undefined;
    const previous = new Map(newest.map((block) => [block.tenantId, block]));
    // Exclude trailing rejected rows: a huge forged seq would stop all sealing.
    const to = { seq: logs.at(-1)?.seq ?? sealed.seq, editSeq: edits.at(-1)?.seq ?? sealed.editSeq };
    const blocks: Block[] = [];
    for (const [tenantId, leaves] of tenants) {
      const newest = previous.get(tenantId);
      const signer = this.chains.next(newest);
      blocks.push(makeBlock({ tenantId, toSeq: to.seq, toEditSeq: to.editSeq }, newest, leaves, signer));
      await setImmediate();
    }
    if (!(await this.store(blocks))) return undefined;
    this.metrics.sealedLeaves.inc(logs.length + edits.length);
    return to;
  }

  private async store(blocks: Block[]): Promise<boolean> {
    try {
      const ofAll = this.database.acrossTenants('a batch has blocks of every tenant with new rows');
      await ofAll.$transaction([ofAll.logBlock.createMany({ data: blocks })]);
      return true;
    } catch (error) {
      // Another node sealed the same rows concurrently.
      if (isUniqueViolation(error) || isWriteConflict(error)) return false;
      throw error;
    }
  }
}

function byTenant(logs: FreshLeaf[], edits: FreshEdit[]): Map<string, BlockLeaves> {
  const tenants = new Map<string, BlockLeaves>();
  const addLeaf = ({ tenantId, leafHash }: FreshLeaf): BlockLeaves => {
    const leaves = tenants.get(tenantId) ?? { ids: { edits: [], logs: [] }, hashes: [] };
    tenants.set(tenantId, leaves);
    leaves.hashes.push(Buffer.from(leafHash, 'base64url'));
    return leaves;
  };
  for (const log of logs) addLeaf(log).ids.logs.push(log.id);
  for (const edit of edits) addLeaf(edit).ids.edits.push([edit.id, edit.logId]);
  return tenants;
}
