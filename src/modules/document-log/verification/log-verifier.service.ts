import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { badInput } from '../../../common/errors/app-error.js';
import { timeOfId } from '../../../common/ids/ids.js';
import {
  beginning,
  CLOCKS_MS,
  countsOf,
  isAfter,
  isEnough,
  isFull,
  isWithin,
  NOTHING_REMOVED,
  type Progress,
  type Range,
} from './progress.js';
import { AFTER_ALL, BEFORE_ALL } from '../records/log-seq.queries.js';
import type { LogVerification } from '../models/seal.model.js';
import type { Block, BlockHead } from '../seals/block-row.js';
import { blockOfNumber, blocksFrom, lastBlockBefore, newestBlocks } from '../seals/blocks.queries.js';
import { checkChain, checkSeal, type Contents, contentsOf } from './block-check.js';
import { type Checkpoint, readCheckpoint } from '../seals/checkpoint.js';
import { turnOf } from '../../../common/work/work.js';
import { LeafService } from '../leaves/leaf.service.js';
import { rootOf } from '../leaves/merkle.js';
import { checkEdit, checkLog, type LeafCheck } from './record-check.js';
import { RowsInOrder } from '../records/rows-in-order.js';
import type { KeyChain } from '../seals/key-chain.js';
import { KeyChainsService } from '../seals/key-chains.service.js';
import type { Position } from '../seals/seals.queries.js';
import { SealsService } from '../seals/seals.service.js';
import { currentHorizon } from '../removal/removal.queries.js';
import { horizonOf } from '../removal/horizon.js';
import { brokenBlock, brokenLog, TamperFound } from './tamper-found.js';
import { type CheckedEdit, type CheckedLog, editsInOrder, logsWithEdits, type RowRange } from './verify.queries.js';

/** Rows that are read and checked together, fewer if they are large; SQLite blocks everything else meanwhile. */
const CHUNK = 250;
const PAGE_LEAVES = 10_000;

/** How often records may be removed during a call. */
const MAX_TRIES = 10;

const FINE = { brokenLogId: null, brokenBlock: null, reason: null };

/** Where nothing is sealed yet, or by no known key. */
const NOT_SEALED: Position = { seq: 0n, editSeq: 0n };

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
    private readonly chains: KeyChainsService,
    private readonly seals: SealsService,
  ) {}

  /** @throws BAD_USER_INPUT on a range that ends before it begins, and on a checkpoint that is invalid or another tenant's */
  async verify({ tenantId, work }: Caller, { from, to }: Range, checkpoint?: string | null): Promise<LogVerification> {
    if (from && to && to < from) throw badInput('to', 'must not be before from');
    const kept = typeof checkpoint === 'string' ? readCheckpoint(checkpoint, tenantId) : undefined;
    for (let tries = 1; ; tries++) {
      const progress = beginning(tenantId, { from, to }, () => turnOf(work));
      try {
        await this.check(progress, kept);
        return { valid: true, ...countsOf(progress), ...FINE };
      } catch (error) {
        if (!(error instanceof TamperFound)) throw error;
        // Records that were removed meanwhile look as if someone else had done it.
        if (tries < MAX_TRIES && (await this.wasMoved(progress))) continue;
        return { valid: false, ...countsOf(progress), ...FINE, ...error.finding, checkedTo: null };
      }
    }
  }

  private async check(progress: Progress, kept: Checkpoint | undefined): Promise<void> {
    progress.horizon = await this.horizonOf(progress);
    const chain = await this.chainOf(progress);
    if (kept) await this.checkCheckpoint(kept, chain);
    // Asked before the blocks are read, so that one of them has everything that is sealed up to here.
    const sealed = await this.seals.sealedUpTo();
    const end = await this.checkBlocks(progress, chain);
    if (!progress.checkedTo) await this.checkTail(progress, sealed ?? NOT_SEALED, end);
  }

  /** Returns the last block whose records were removed. @throws TamperFound when that was changed */
  private async horizonOf(progress: Progress): Promise<number> {
    const current = await currentHorizon(this.database, progress.tenantId);
    if (!current) return NOTHING_REMOVED;
    const chain = await this.chainOf(progress);
    if (!current.horizon || !chain.isSealed(current.block)) throw wrongHorizon(current.block);
    return current.horizon.upToBlock;
  }

  private async wasMoved({ tenantId, horizon }: Progress): Promise<boolean> {
    const current = await currentHorizon(this.database, tenantId);
    return current?.horizon !== undefined && current.horizon.upToBlock > horizon;
  }

  /** Reads the keys of the log. @throws TamperFound that names a block which hands it over wrongly */
  private async chainOf({ tenantId }: Progress): Promise<KeyChain> {
    const chain = await this.chains.of(tenantId);
    if (chain.brokenAt) throw brokenBlock(chain.brokenAt.number, chain.brokenAt.reason);
    return chain;
  }

  private async checkCheckpoint({ tenantId, number, hash, sealedAt, publicKey }: Checkpoint, chain: KeyChain): Promise<void> {
    if (!chain.has(publicKey)) {
      throw brokenBlock(number, `The history up to block ${number} is signed with another key than the checkpoint`);
    }
    const block = await blockOfNumber(this.database, tenantId, number);
    if (!block) throw brokenBlock(number, `Block ${number} of the checkpoint was removed: the log was cut`);
    if (block.hash !== hash || block.sealedAt.toISOString() !== sealedAt) {
      throw brokenBlock(number, `Block ${number} is not that of the checkpoint: the history up to it was replaced`);
    }
    checkSeal(block, chain);
  }

  /** Returns the last block, after which nothing is sealed. */
  private async checkBlocks(progress: Progress, known: KeyChain): Promise<BlockHead | undefined> {
    let chain = known;
    const check = { leaves: this.leaves, isMacOpen: !(await this.chains.areMacsComplete()) };
    let previous = await this.blockBefore(progress);
    for (let rows: Rows | undefined; ;) {
      const number = previous && previous.number + 1;
      const page = await blocksFrom(this.database, { tenantId: progress.tenantId, number, maxLeaves: PAGE_LEAVES });
      if (page.length === 0) return previous;
      const end = page.at(-1)!;
      // The key may have been changed since the chain was read.
      if (page.some(({ keyChange }) => keyChange !== null)) chain = await this.chainOf(progress);
      for (const block of page) {
        checkChain(block, previous, chain);
        const contents = contentsOf(block);
        const isBefore = !rows && progress.from !== null && contents.latestMs < progress.from.getTime();
        if (block.horizon !== null && !horizonOf(block)) throw wrongHorizon(block);
        // The chain has checked a change of the key, which has no records; nor has a horizon.
        if (!isBefore && block.keyChange === null && block.horizon === null) {
          if (isAfter(contents, progress)) return this.newest(progress);
          if (isEnough(progress, block, contents)) return undefined;
          rows = { ...(rows ?? this.rowsAfter(progress, previous)), end };
          await this.checkContents(progress, block, { contents, check }, rows);
        }
        previous = block;
        await progress.turn();
      }
    }
  }

  /** The block before the first one whose records can be in the range. */
  private async blockBefore(progress: Progress): Promise<BlockHead | undefined> {
    const { tenantId, from } = progress;
    if (!from) return undefined;
    const before = await lastBlockBefore(this.database, tenantId, new Date(from.getTime() - CLOCKS_MS));
    if (before) checkSeal(before, await this.chainOf(progress));
    return before;
  }

  private async newest(progress: Progress): Promise<BlockHead | undefined> {
    const [block] = await newestBlocks(this.database, [progress.tenantId]);
    if (block) checkSeal(block, await this.chainOf(progress));
    return block;
  }

  private rowsAfter({ tenantId }: Progress, block: BlockHead | undefined): Omit<Rows, 'end'> {
    const range = (after: bigint, upTo: bigint): RowRange => ({ after, upTo, limit: CHUNK });
    const own = this.database.of(tenantId);
    return {
      logs: new RowsInOrder(block?.toSeq ?? BEFORE_ALL, (...bounds) => logsWithEdits(own, range(...bounds))),
      edits: new RowsInOrder(block?.toEditSeq ?? BEFORE_ALL, (...bounds) => editsInOrder(own, range(...bounds))),
    };
  }

  private async checkContents(
    progress: Progress,
    block: Block,
    { contents, check }: { contents: Contents; check: LeafCheck },
    { logs, edits, end }: Rows,
  ): Promise<void> {
    const { number, toSeq, toEditSeq } = block;
    const isRemoved = number <= progress.horizon;
    const hashes: Buffer[] = [];
    const ids = new Set(contents.logs);
    let erased = 0;
    for (const id of isRemoved ? [] : contents.logs) {
      const log = await logs.next(toSeq, end.toSeq);
      if (log?.id !== id) throw log && !ids.has(log.id) ? slippedIn(log.id, number) : await this.lost(id, number);
      hashes.push(checkLog(log, check));
      if (log.erasedAt && isWithin(progress, timeOfId(id))) erased++;
    }
    const extra = await logs.next(toSeq, end.toSeq);
    if (extra) throw slippedIn(extra.id, number);
    const editIds = new Set(contents.edits.map(([id]) => id));
    for (const [id, logId] of isRemoved ? [] : contents.edits) {
      const edit = await edits.next(toEditSeq, end.toEditSeq);
      if (edit?.id !== id)
        throw edit && !editIds.has(edit.id) ? slippedIn(edit.logId, number, edit.id) : lostEdit(id, logId, number);
      hashes.push(checkEdit(edit, check));
    }
    const extraEdit = await edits.next(toEditSeq, end.toEditSeq);
    if (extraEdit) throw slippedIn(extraEdit.logId, number, extraEdit.id);
    const records = contents.logs.filter((id) => isWithin(progress, timeOfId(id))).length;
    if (isRemoved) {
      progress.removedRecords += records;
      return;
    }
    await progress.turn();
    if (rootOf(hashes).toString('base64url') !== block.root)
      throw brokenBlock(number, `The records of block ${number} were changed`);
    progress.leaves += hashes.length;
    progress.checkedRecords += records;
    progress.erasedRecords += erased;
    if (records > 0 || contents.edits.some(([id]) => isWithin(progress, timeOfId(id)))) progress.checkedBlocks++;
  }

  private async lost(id: string, number: number): Promise<TamperFound> {
    const { log } = this.database.acrossTenants('a row that was moved to another tenant is still there');
    const isThere = await log.findFirst({ where: { id }, select: { id: true } });
    const what = isThere ? 'was moved: it does not stand at its place in' : 'was removed from';
    return brokenLog(id, `The record ${what} block ${number}`);
  }

  /** Checks the MACs of rows that are not sealed yet. An unsealed row older than the seals was slipped in. */
  private async checkTail(progress: Progress, sealed: Position, end: BlockHead | undefined): Promise<void> {
    const check = { leaves: this.leaves, isMacOpen: false };
    const own = this.database.of(progress.tenantId);
    const range = { from: progress.from, to: progress.to, upTo: AFTER_ALL, limit: CHUNK };
    for (let after = end?.toSeq ?? BEFORE_ALL, isLast = false; !isLast;) {
      const logs = await logsWithEdits(own, { ...range, after });
      for (const log of logs) {
        if (isFull(progress, log.createdAt)) return;
        if (log.seq <= sealed.seq) throw unsealed(log.id);
        checkLog(log, check);
        progress.leaves++;
        progress.checkedRecords++;
        progress.unsealedRecords++;
        if (log.erasedAt) progress.erasedRecords++;
      }
      isLast = logs.length === 0;
      after = logs.at(-1)?.seq ?? after;
      await progress.turn();
    }
    for (let after = end?.toEditSeq ?? BEFORE_ALL, isLast = false; !isLast;) {
      const edits = await editsInOrder(own, { ...range, after });
      for (const edit of edits) {
        if (isFull(progress, edit.dateTime)) return;
        if (edit.seq <= sealed.editSeq) throw unsealed(edit.logId, edit.id);
        checkEdit(edit, check);
        progress.leaves++;
      }
      isLast = edits.length === 0;
      after = edits.at(-1)?.seq ?? after;
      await progress.turn();
    }
  }
}

const whose = (editId?: string): string => (editId ? `Edit ${editId} of the record` : 'The record');
const slippedIn = (id: string, number: number, editId?: string): TamperFound =>
  brokenLog(id, `${whose(editId)} was slipped in: block ${number}, within whose bounds it stands, does not have it`);
const lostEdit = (id: string, logId: string, number: number): TamperFound =>
  brokenLog(logId, `Edit ${id} of the record was removed from block ${number}, or moved`);
const wrongHorizon = ({ number }: BlockHead): TamperFound =>
  brokenBlock(number, `Block ${number} was changed or forged: it wrongly says how far the log was removed`);
const unsealed = (id: string, editId?: string): TamperFound =>
  brokenLog(id, `${whose(editId)} is in no block, but later ones are: it was slipped in, or its block was removed`);
