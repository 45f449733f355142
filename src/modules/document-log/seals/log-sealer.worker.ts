import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { isUniqueViolation, isWriteConflict } from '../../../common/database/database-faults.js';
import { PrismaService } from '../../../common/database/prisma.service.js';
import { Log } from '../../../common/logging/log.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { Workers } from '../../../common/workers/workers.js';
import { isSealed, type Leafs, makeBlock } from './block.js';
import type { Block, BlockHead } from './block-row.js';
import { Blocks } from './blocks.queries.js';
import { breathe } from './hashing.js';
import { Leaves } from './leaves.js';
import { SealSigner } from './seal-signer.js';
import { SealsService } from './seals.service.js';
import { committedUpTo, type FreshEdit, freshEdits, type FreshLeaf, freshLogs, type Position } from './seals.queries.js';

const EVERY_MS = 1_000;
/** Of records, and again of edits: a block has at most twice as many leaves. */
const BATCH = 5_000;
const WITHOUT_PAUSE = 1_000;

/** What is new, of all tenants, without what has a wrong MAC. */
interface Batch {
  logs: FreshLeaf[];
  edits: FreshEdit[];
  /** Where the next batch begins. */
  end: Position;
  /** Whether this is all that is committed. */
  isLast: boolean;
}

/**
 * Seals what is new in blocks, one for each tenant that has something new. A batch is written in one transaction, so that
 * the furthest block of any tenant says up to where everybody's rows are sealed.
 */
@Injectable()
export class LogSealer {
  /** Refused once and read again every second; what counts them names each once. */
  private refused = new Set<string>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly blocks: Blocks,
    private readonly leaves: Leaves,
    private readonly signer: SealSigner,
    private readonly seals: SealsService,
    private readonly metrics: Metrics,
    private readonly log: Log,
    workers: Workers,
  ) {
    workers.add({ name: 'log-sealer', everyMs: EVERY_MS, run: (signal) => this.seal(signal) });
  }

  async seal(signal?: AbortSignal): Promise<void> {
    let sealed: Position | undefined = await this.seals.sealedUpTo();
    const committed = await committedUpTo(this.prisma, this.config.isPostgres);
    for (let at = sealed, isLast = false; !isLast && !signal?.aborted;) {
      const batch = await this.read(at, committed);
      sealed = await this.write(sealed, batch);
      if (!sealed) return;
      ({ end: at, isLast } = batch);
      await breathe();
    }
  }

  private async read(after: Position, upTo: Position): Promise<Batch> {
    const { isPostgres } = this.config;
    const logs = await freshLogs(this.prisma, isPostgres, { after: after.seq, upTo: upTo.seq, limit: BATCH });
    await breathe();
    const edits = await freshEdits(this.prisma, isPostgres, { after: after.editSeq, upTo: upTo.editSeq, limit: BATCH });
    return {
      logs: await this.withRightMac(logs),
      edits: await this.withRightMac(edits),
      end: { seq: logs.at(-1)?.seq ?? after.seq, editSeq: edits.at(-1)?.seq ?? after.editSeq },
      isLast: logs.length < BATCH && edits.length < BATCH,
    };
  }

  private async withRightMac<T extends FreshLeaf>(rows: T[]): Promise<T[]> {
    const right: T[] = [];
    for (const [index, row] of rows.entries()) {
      if (this.leaves.isOurs(row)) right.push(row);
      else this.refuse(row);
      if (index % WITHOUT_PAUSE === WITHOUT_PAUSE - 1) await breathe();
    }
    return right;
  }

  private refuse({ id, tenantId, seq }: FreshLeaf): void {
    if (this.refused.has(id)) return;
    if (this.refused.size >= BATCH) this.refused = new Set();
    this.refused.add(id);
    this.metrics.sealRefusals.inc();
    this.log.error({ tenantId, id, seq: String(seq) }, 'a log row has a wrong MAC and was not sealed; verifyLogs names it');
  }

  /** Answers with how far everything is sealed then; with nothing when another node seals too, which then goes on. */
  private async write(sealed: Position, { logs, edits }: Batch): Promise<Position | undefined> {
    const tenants = byTenant(logs, edits);
    if (tenants.size === 0) return sealed;
    const newest = await this.blocks.newest([...tenants.keys()]);
    const isBehind = ({ toSeq, toEditSeq }: BlockHead) => toSeq > sealed.seq || toEditSeq > sealed.editSeq;
    if (newest.some((block) => isBehind(block) && isSealed(block, this.signer))) return undefined;
    const previous = new Map(newest.map((block) => [block.tenantId, block]));
    // Not past a row that was refused at the end: a forged seq that is huge would end all sealing.
    const to = { seq: logs.at(-1)?.seq ?? sealed.seq, editSeq: edits.at(-1)?.seq ?? sealed.editSeq };
    const blocks: Block[] = [];
    for (const [tenantId, leafs] of tenants) {
      blocks.push(makeBlock({ tenantId, toSeq: to.seq, toEditSeq: to.editSeq }, previous.get(tenantId), leafs, this.signer));
      await breathe();
    }
    if (!(await this.store(blocks))) return undefined;
    this.metrics.sealedLeaves.inc(logs.length + edits.length);
    return to;
  }

  private async store(blocks: Block[]): Promise<boolean> {
    try {
      await this.prisma.$transaction([this.prisma.logBlock.createMany({ data: blocks })]);
      return true;
    } catch (error) {
      // Another node was faster, and sealed the same.
      if (isUniqueViolation(error) || isWriteConflict(error)) return false;
      throw error;
    }
  }
}

function byTenant(logs: FreshLeaf[], edits: FreshEdit[]): Map<string, Leafs> {
  const tenants = new Map<string, Leafs>();
  const leafsOf = ({ tenantId, leafHash }: FreshLeaf): Leafs => {
    const leafs = tenants.get(tenantId) ?? { ids: { edits: [], logs: [] }, hashes: [] };
    tenants.set(tenantId, leafs);
    leafs.hashes.push(Buffer.from(leafHash, 'base64url'));
    return leafs;
  };
  for (const log of logs) leafsOf(log).ids.logs.push(log.id);
  for (const edit of edits) leafsOf(edit).ids.edits.push([edit.id, edit.logId]);
  return tenants;
}
