import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Config } from '../../../common/config/config.js';
import { PrismaService } from '../../../common/database/prisma.service.js';
import { badInput } from '../../../common/errors/app-error.js';
import { timeOfId } from '../../../common/ids/ids.js';
import { AFTER_ALL, BEFORE_ALL } from '../log-seq.queries.js';
import type { LogVerification } from '../models/seal.model.js';
import type { Block, BlockHead } from './block-row.js';
import { Blocks } from './blocks.queries.js';
import { checkChain, checkSeal, type Contents, contentsOf } from './block-check.js';
import { type Checkpoint, readCheckpoint } from './checkpoint.js';
import { breathe } from './hashing.js';
import { Leaves } from './leaves.js';
import { rootOf } from './merkle.js';
import { checkEdit, checkLog } from './record-check.js';
import { RowsInOrder } from './rows-in-order.js';
import { SealSigner } from './seal-signer.js';
import type { Position } from './seals.queries.js';
import { SealsService } from './seals.service.js';
import { brokenBlock, brokenLog, TamperFound } from './tamper-found.js';
import { type CheckedEdit, type CheckedLog, editsInOrder, logsWithEdits, type Part } from './verify.queries.js';

/** Records and edits of one call. */
const MAX_LEAVES = 100_000;
/** Read and checked in one go, fewer when they are large; SQLite holds up everything else meanwhile. */
const CHUNK = 250;
const PAGE_LEAVES = 10_000;
/** How far the clocks of nodes may be apart: a record can be newer than its seal by as much. */
const CLOCKS_MS = 60_000;

interface Range {
  from: Date | null;
  to: Date | null;
}

/** One call: what is asked, and how far it got. */
interface Walk extends Range {
  tenantId: string;
  leaves: number;
  checkedRecords: number;
  checkedBlocks: number;
  unsealedRecords: number;
  checkedTo: Date | null;
}

interface Rows {
  logs: RowsInOrder<CheckedLog>;
  edits: RowsInOrder<CheckedEdit>;
  /** The last block that is read; nothing is read beyond it. */
  end: BlockHead;
}

/** Recomputes a log from its rows, and says what was changed, removed or slipped in by whoever does not hold SECRET_KEY. */
@Injectable()
export class LogVerifierService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly blocks: Blocks,
    private readonly leaves: Leaves,
    private readonly signer: SealSigner,
    private readonly seals: SealsService,
  ) {}

  /** @throws BAD_USER_INPUT on a range that ends before it begins, and on what is no checkpoint of this tenant. */
  async verify({ tenantId }: Caller, { from, to }: Range, checkpoint?: string | null): Promise<LogVerification> {
    if (from && to && to < from) throw badInput('to', 'must not be before from');
    const kept = typeof checkpoint === 'string' ? readCheckpoint(checkpoint, tenantId) : undefined;
    const walk: Walk = {
      tenantId,
      from,
      to,
      leaves: 0,
      checkedRecords: 0,
      checkedBlocks: 0,
      unsealedRecords: 0,
      checkedTo: null,
    };
    const fine = { brokenLogId: null, brokenBlock: null, reason: null };
    try {
      if (kept) await this.checkCheckpoint(kept);
      // Before the blocks are read: whatever is sealed up to here is in one of them.
      const sealed = await this.seals.sealedUpTo();
      const end = await this.checkBlocks(walk);
      if (!walk.checkedTo) await this.checkTail(walk, sealed, end);
      return { valid: true, ...shown(walk), ...fine };
    } catch (error) {
      if (!(error instanceof TamperFound)) throw error;
      return { valid: false, ...shown(walk), ...fine, ...error.finding, checkedTo: null };
    }
  }

  private async checkCheckpoint({ tenantId, number, hash, sealedAt, publicKey }: Checkpoint): Promise<void> {
    if (publicKey !== this.signer.publicKey) {
      throw brokenBlock(number, `The history up to block ${number} is signed with another key than the checkpoint`);
    }
    const block = await this.blocks.ofNumber(tenantId, number);
    if (!block) throw brokenBlock(number, `Block ${number} of the checkpoint was removed: the log was cut`);
    if (block.hash !== hash || block.sealedAt.toISOString() !== sealedAt) {
      throw brokenBlock(number, `Block ${number} is not that of the checkpoint: the history up to it was replaced`);
    }
    checkSeal(block, this.signer);
  }

  /** Answers with the block after which nothing is sealed. */
  private async checkBlocks(walk: Walk): Promise<BlockHead | undefined> {
    let previous = await this.blockBefore(walk);
    for (let rows: Rows | undefined; ;) {
      const number = previous && previous.number + 1;
      const page = await this.blocks.from({ tenantId: walk.tenantId, number, maxLeaves: PAGE_LEAVES });
      if (page.length === 0) return previous;
      const end = page.at(-1)!;
      for (const block of page) {
        checkChain(block, previous, this.signer);
        const contents = contentsOf(block);
        const isBefore = !rows && walk.from !== null && contents.latestMs < walk.from.getTime();
        if (!isBefore) {
          if (isAfter(contents, walk)) return this.newest(walk);
          if (isEnough(walk, block, contents)) return undefined;
          rows = { ...(rows ?? this.rowsAfter(walk, previous)), end };
          await this.checkContents(walk, block, contents, rows);
        }
        previous = block;
        await breathe();
      }
    }
  }

  /** The one before the first whose records can be of the range. */
  private async blockBefore({ tenantId, from }: Walk): Promise<BlockHead | undefined> {
    if (!from) return undefined;
    const before = await this.blocks.lastBefore(tenantId, new Date(from.getTime() - CLOCKS_MS));
    if (before) checkSeal(before, this.signer);
    return before;
  }

  private async newest({ tenantId }: Walk): Promise<BlockHead | undefined> {
    const [block] = await this.blocks.newest([tenantId]);
    if (block) checkSeal(block, this.signer);
    return block;
  }

  private rowsAfter({ tenantId }: Walk, block: BlockHead | undefined): Omit<Rows, 'end'> {
    const part = (after: bigint, upTo: bigint): Part => ({ tenantId, after, upTo, limit: CHUNK });
    const { isPostgres } = this.config;
    return {
      logs: new RowsInOrder(block?.toSeq ?? BEFORE_ALL, (...bounds) => logsWithEdits(this.prisma, isPostgres, part(...bounds))),
      edits: new RowsInOrder(block?.toEditSeq ?? BEFORE_ALL, (...bounds) =>
        editsInOrder(this.prisma, isPostgres, part(...bounds)),
      ),
    };
  }

  private async checkContents(walk: Walk, block: Block, contents: Contents, { logs, edits, end }: Rows): Promise<void> {
    const { number, toSeq, toEditSeq } = block;
    const hashes: Buffer[] = [];
    const ids = new Set(contents.logs);
    for (const id of contents.logs) {
      const log = await logs.next(toSeq, end.toSeq);
      if (log?.id !== id) throw log && !ids.has(log.id) ? slippedIn(log.id, number) : await this.lost(id, number);
      hashes.push(checkLog(log, this.leaves));
    }
    const extra = await logs.next(toSeq, end.toSeq);
    if (extra) throw slippedIn(extra.id, number);
    const editIds = new Set(contents.edits.map(([id]) => id));
    for (const [id, logId] of contents.edits) {
      const edit = await edits.next(toEditSeq, end.toEditSeq);
      if (edit?.id !== id)
        throw edit && !editIds.has(edit.id) ? slippedIn(edit.logId, number, edit.id) : lostEdit(id, logId, number);
      hashes.push(checkEdit(edit, this.leaves));
    }
    const extraEdit = await edits.next(toEditSeq, end.toEditSeq);
    if (extraEdit) throw slippedIn(extraEdit.logId, number, extraEdit.id);
    await breathe();
    if (rootOf(hashes).toString('base64url') !== block.root)
      throw brokenBlock(number, `The records of block ${number} were changed`);
    walk.leaves += hashes.length;
    const records = contents.logs.filter((id) => isWithin(walk, timeOfId(id))).length;
    walk.checkedRecords += records;
    if (records > 0 || contents.edits.some(([id]) => isWithin(walk, timeOfId(id)))) walk.checkedBlocks++;
  }

  private async lost(id: string, number: number): Promise<TamperFound> {
    const isThere = await this.prisma.log.findFirst({ where: { id }, select: { id: true } });
    const what = isThere ? 'was moved: it does not stand at its place in' : 'was removed from';
    return brokenLog(id, `The record ${what} block ${number}`);
  }

  /** What is new has its MACs; what is not new should have been sealed. */
  private async checkTail(walk: Walk, sealed: Position, end: BlockHead | undefined): Promise<void> {
    const { isPostgres } = this.config;
    const part = { tenantId: walk.tenantId, from: walk.from, to: walk.to, upTo: AFTER_ALL, limit: CHUNK };
    for (let after = end?.toSeq ?? BEFORE_ALL, isLast = false; !isLast;) {
      const logs = await logsWithEdits(this.prisma, isPostgres, { ...part, after });
      for (const log of logs) {
        if (isFull(walk, log.createdAt)) return;
        if (log.seq <= sealed.seq) throw unsealed(log.id);
        checkLog(log, this.leaves);
        walk.leaves++;
        walk.checkedRecords++;
        walk.unsealedRecords++;
      }
      isLast = logs.length === 0;
      after = logs.at(-1)?.seq ?? after;
      await breathe();
    }
    for (let after = end?.toEditSeq ?? BEFORE_ALL, isLast = false; !isLast;) {
      const edits = await editsInOrder(this.prisma, isPostgres, { ...part, after });
      for (const edit of edits) {
        if (isFull(walk, edit.dateTime)) return;
        if (edit.seq <= sealed.editSeq) throw unsealed(edit.logId, edit.id);
        checkEdit(edit, this.leaves);
        walk.leaves++;
      }
      isLast = edits.length === 0;
      after = edits.at(-1)?.seq ?? after;
      await breathe();
    }
  }
}

const shown = ({ checkedRecords, checkedBlocks, unsealedRecords, checkedTo }: Walk) => ({
  checkedRecords,
  checkedBlocks,
  unsealedRecords,
  checkedTo,
});

const isAfter = ({ earliestMs }: Contents, { to }: Range): boolean => to !== null && earliestMs > to.getTime() + CLOCKS_MS;

const isWithin = ({ from, to }: Range, ms: number): boolean =>
  (from === null || ms >= from.getTime()) && (to === null || ms <= to.getTime());

/** A call that goes on at `ms` gets further than this one. */
const isProgress = ({ from }: Range, ms: number): boolean => ms > (from?.getTime() ?? -Infinity);

/** Notes how far the call got, when a block would be too much for it. */
function isEnough(walk: Walk, { leafCount }: BlockHead, { earliestMs }: Contents): boolean {
  const isEnd = walk.leaves > 0 && walk.leaves + leafCount > MAX_LEAVES && isProgress(walk, earliestMs);
  if (isEnd) walk.checkedTo = new Date(earliestMs);
  return isEnd;
}

/** The same, when what was created at a time, and is in no block yet, would be too much. */
function isFull(walk: Walk, time: Date): boolean {
  const isEnd = walk.leaves >= MAX_LEAVES && isProgress(walk, time.getTime());
  if (isEnd) walk.checkedTo = time;
  return isEnd;
}

const whose = (editId?: string): string => (editId ? `Edit ${editId} of the record` : 'The record');
const slippedIn = (id: string, number: number, editId?: string): TamperFound =>
  brokenLog(id, `${whose(editId)} was slipped in: block ${number}, within whose bounds it stands, does not have it`);
const lostEdit = (id: string, logId: string, number: number): TamperFound =>
  brokenLog(logId, `Edit ${id} of the record was removed from block ${number}, or moved`);
const unsealed = (id: string, editId?: string): TamperFound =>
  brokenLog(id, `${whose(editId)} is in no block, but later ones are: it was slipped in, or its block was removed`);
