import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { badInput } from '../../../common/errors/app-error.js';
import { timeOfId } from '../../../common/ids/ids.js';
import { AFTER_ALL, BEFORE_ALL } from '../records/log-seq.queries.js';
import type { LogVerification } from '../models/seal.model.js';
import type { Block, BlockHead } from '../seals/block-row.js';
import { blockOfNumber, blocksFrom, lastBlockBefore, newestBlocks } from '../seals/blocks.queries.js';
import { checkChain, checkSeal, type Contents, contentsOf } from './block-check.js';
import { type Checkpoint, readCheckpoint } from '../seals/checkpoint.js';
import { nextTurn } from '../../../common/bounds/turns.js';
import { LeafService } from '../leaves/leaf.service.js';
import { rootOf } from '../leaves/merkle.js';
import { checkEdit, checkLog } from './record-check.js';
import { RowsInOrder } from '../records/rows-in-order.js';
import { SealSigner } from '../seals/seal-signer.js';
import type { Position } from '../seals/seals.queries.js';
import { SealsService } from '../seals/seals.service.js';
import { brokenBlock, brokenLog, TamperFound } from './tamper-found.js';
import { type CheckedEdit, type CheckedLog, editsInOrder, logsWithEdits, type RowRange } from './verify.queries.js';

/** Records and edits that one call checks. */
const MAX_LEAVES = 100_000;
/** Rows that are read and checked together, fewer if they are large; SQLite blocks everything else meanwhile. */
const CHUNK = 250;
const PAGE_LEAVES = 10_000;
/** How far the clocks of nodes may differ: by so much a record can seem newer than its seal. */
const CLOCKS_MS = 60_000;

interface Range {
  from: Date | null;
  to: Date | null;
}

/** How far one call has got. */
interface Progress extends Range {
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
  /** The last block of the page; rows beyond it are not read. */
  end: BlockHead;
}

/** Recomputes a log from its rows, and finds whatever was changed, removed or slipped in without SECRET_KEY. */
@Injectable()
export class LogVerifierService {
  constructor(
    private readonly database: Database,
    private readonly leaves: LeafService,
    private readonly signer: SealSigner,
    private readonly seals: SealsService,
  ) {}

  /** @throws BAD_USER_INPUT on a range that ends before it begins, and on a checkpoint that is invalid or another tenant's */
  async verify({ tenantId }: Caller, { from, to }: Range, checkpoint?: string | null): Promise<LogVerification> {
    if (from && to && to < from) throw badInput('to', 'must not be before from');
    const kept = typeof checkpoint === 'string' ? readCheckpoint(checkpoint, tenantId) : undefined;
    const progress: Progress = {
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
      // Asked before the blocks are read, so that one of them has everything that is sealed up to here.
      const sealed = await this.seals.sealedUpTo();
      const end = await this.checkBlocks(progress);
      if (!progress.checkedTo) await this.checkTail(progress, sealed, end);
      return { valid: true, ...countsOf(progress), ...fine };
    } catch (error) {
      if (!(error instanceof TamperFound)) throw error;
      return { valid: false, ...countsOf(progress), ...fine, ...error.finding, checkedTo: null };
    }
  }

  private async checkCheckpoint({ tenantId, number, hash, sealedAt, publicKey }: Checkpoint): Promise<void> {
    if (publicKey !== this.signer.publicKey) {
      throw brokenBlock(number, `The history up to block ${number} is signed with another key than the checkpoint`);
    }
    const block = await blockOfNumber(this.database, tenantId, number);
    if (!block) throw brokenBlock(number, `Block ${number} of the checkpoint was removed: the log was cut`);
    if (block.hash !== hash || block.sealedAt.toISOString() !== sealedAt) {
      throw brokenBlock(number, `Block ${number} is not that of the checkpoint: the history up to it was replaced`);
    }
    checkSeal(block, this.signer);
  }

  /** Returns the last block, after which nothing is sealed. */
  private async checkBlocks(progress: Progress): Promise<BlockHead | undefined> {
    let previous = await this.blockBefore(progress);
    for (let rows: Rows | undefined; ;) {
      const number = previous && previous.number + 1;
      const page = await blocksFrom(this.database, { tenantId: progress.tenantId, number, maxLeaves: PAGE_LEAVES });
      if (page.length === 0) return previous;
      const end = page.at(-1)!;
      for (const block of page) {
        checkChain(block, previous, this.signer);
        const contents = contentsOf(block);
        const isBefore = !rows && progress.from !== null && contents.latestMs < progress.from.getTime();
        if (!isBefore) {
          if (isAfter(contents, progress)) return this.newest(progress);
          if (isEnough(progress, block, contents)) return undefined;
          rows = { ...(rows ?? this.rowsAfter(progress, previous)), end };
          await this.checkContents(progress, block, contents, rows);
        }
        previous = block;
        await nextTurn();
      }
    }
  }

  /** The block before the first one whose records can be in the range. */
  private async blockBefore({ tenantId, from }: Progress): Promise<BlockHead | undefined> {
    if (!from) return undefined;
    const before = await lastBlockBefore(this.database, tenantId, new Date(from.getTime() - CLOCKS_MS));
    if (before) checkSeal(before, this.signer);
    return before;
  }

  private async newest({ tenantId }: Progress): Promise<BlockHead | undefined> {
    const [block] = await newestBlocks(this.database, [tenantId]);
    if (block) checkSeal(block, this.signer);
    return block;
  }

  private rowsAfter({ tenantId }: Progress, block: BlockHead | undefined): Omit<Rows, 'end'> {
    const range = (after: bigint, upTo: bigint): RowRange => ({ tenantId, after, upTo, limit: CHUNK });
    return {
      logs: new RowsInOrder(block?.toSeq ?? BEFORE_ALL, (...bounds) => logsWithEdits(this.database, range(...bounds))),
      edits: new RowsInOrder(block?.toEditSeq ?? BEFORE_ALL, (...bounds) => editsInOrder(this.database, range(...bounds))),
    };
  }

  private async checkContents(progress: Progress, block: Block, contents: Contents, { logs, edits, end }: Rows): Promise<void> {
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
    await nextTurn();
    if (rootOf(hashes).toString('base64url') !== block.root)
      throw brokenBlock(number, `The records of block ${number} were changed`);
    progress.leaves += hashes.length;
    const records = contents.logs.filter((id) => isWithin(progress, timeOfId(id))).length;
    progress.checkedRecords += records;
    if (records > 0 || contents.edits.some(([id]) => isWithin(progress, timeOfId(id)))) progress.checkedBlocks++;
  }

  /** all tenants: a signed block of the tenant names the id, and a row moved to another tenant is still there */
  private async lost(id: string, number: number): Promise<TamperFound> {
    const isThere = await this.database.log.findFirst({ where: { id }, select: { id: true } });
    const what = isThere ? 'was moved: it does not stand at its place in' : 'was removed from';
    return brokenLog(id, `The record ${what} block ${number}`);
  }

  /** Checks the MACs of rows that are not sealed yet. An unsealed row older than the seals was slipped in. */
  private async checkTail(progress: Progress, sealed: Position, end: BlockHead | undefined): Promise<void> {
    const range = { tenantId: progress.tenantId, from: progress.from, to: progress.to, upTo: AFTER_ALL, limit: CHUNK };
    for (let after = end?.toSeq ?? BEFORE_ALL, isLast = false; !isLast;) {
      const logs = await logsWithEdits(this.database, { ...range, after });
      for (const log of logs) {
        if (isFull(progress, log.createdAt)) return;
        if (log.seq <= sealed.seq) throw unsealed(log.id);
        checkLog(log, this.leaves);
        progress.leaves++;
        progress.checkedRecords++;
        progress.unsealedRecords++;
      }
      isLast = logs.length === 0;
      after = logs.at(-1)?.seq ?? after;
      await nextTurn();
    }
    for (let after = end?.toEditSeq ?? BEFORE_ALL, isLast = false; !isLast;) {
      const edits = await editsInOrder(this.database, { ...range, after });
      for (const edit of edits) {
        if (isFull(progress, edit.dateTime)) return;
        if (edit.seq <= sealed.editSeq) throw unsealed(edit.logId, edit.id);
        checkEdit(edit, this.leaves);
        progress.leaves++;
      }
      isLast = edits.length === 0;
      after = edits.at(-1)?.seq ?? after;
      await nextTurn();
    }
  }
}

const countsOf = ({ checkedRecords, checkedBlocks, unsealedRecords, checkedTo }: Progress) => ({
  checkedRecords,
  checkedBlocks,
  unsealedRecords,
  checkedTo,
});

const isAfter = ({ earliestMs }: Contents, { to }: Range): boolean => to !== null && earliestMs > to.getTime() + CLOCKS_MS;

const isWithin = ({ from, to }: Range, ms: number): boolean =>
  (from === null || ms >= from.getTime()) && (to === null || ms <= to.getTime());

/** Whether a next call that begins at `ms` gets further than this one. */
const isProgress = ({ from }: Range, ms: number): boolean => ms > (from?.getTime() ?? -Infinity);

/** Whether a block would exceed the limit of this call; if so, notes where the next call goes on. */
function isEnough(progress: Progress, { leafCount }: BlockHead, { earliestMs }: Contents): boolean {
  const isEnd = progress.leaves > 0 && progress.leaves + leafCount > MAX_LEAVES && isProgress(progress, earliestMs);
  if (isEnd) progress.checkedTo = new Date(earliestMs);
  return isEnd;
}

/** The same for a row that is in no block yet. */
function isFull(progress: Progress, time: Date): boolean {
  const isEnd = progress.leaves >= MAX_LEAVES && isProgress(progress, time.getTime());
  if (isEnd) progress.checkedTo = time;
  return isEnd;
}

const whose = (editId?: string): string => (editId ? `Edit ${editId} of the record` : 'The record');
const slippedIn = (id: string, number: number, editId?: string): TamperFound =>
  brokenLog(id, `${whose(editId)} was slipped in: block ${number}, within whose bounds it stands, does not have it`);
const lostEdit = (id: string, logId: string, number: number): TamperFound =>
  brokenLog(logId, `Edit ${id} of the record was removed from block ${number}, or moved`);
const unsealed = (id: string, editId?: string): TamperFound =>
  brokenLog(id, `${whose(editId)} is in no block, but later ones are: it was slipped in, or its block was removed`);
