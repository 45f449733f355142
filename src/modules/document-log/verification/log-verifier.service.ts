import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { badInput } from '../../../common/base/app-error.js';
import { timeOfId } from '../../../common/base/ids.js';
import { turnOf } from '../../../common/scheduling/heavy-run.js';
import { readKeyChange } from '../seals/key-change.js';
import { LeafService } from '../records/leaf.service.js';
import type { LogVerification } from './seal.model.js';
import { horizonOf } from '../retention/horizon.js';
import { currentHorizon } from '../retention/retention.queries.js';
import { NO_IDS } from '../seals/block.js';
import type { Block, BlockHead } from '../seals/block-row.js';
import { blockOfNumber, lastBlockBefore, newestBlocks } from '../seals/blocks.queries.js';
import { type Checkpoint, readCheckpoint } from '../seals/checkpoint.js';
import type { KeyChain } from '../seals/key-chain.js';
import { KeyChainsService } from '../seals/key-chains.service.js';
import type { Position } from '../seals/seals.queries.js';
import { SealsService } from '../seals/seals.service.js';
import { BlockFault, ChainVerifier } from './chain-verifier.js';
import { type Contents, contentsOf, DatabaseLogSource, nameOfRow } from './database-log-source.service.js';
import {
  beginning,
  CLOCKS_MS,
  countsOf,
  isAfter,
  isBefore,
  isEnough,
  isFull,
  isWithin,
  NOTHING_REMOVED,
  type Progress,
  type Range,
} from './progress.js';
import { checkEdit, checkLog, type LeafCheck } from './record-check.js';
import { brokenBlock, brokenBy, brokenLog, TamperFound } from './tamper-found.js';
import { editsInOrder, logsWithEdits } from './verify.queries.js';

/** Attempts per call. A retention that removes records during an attempt causes another one. */
const MAX_TRIES = 10;

const FINE = { brokenLogId: null, brokenBlock: null, reason: null };

/** Position before the first block of a known key. */
const NOT_SEALED: Position = { seq: 0n, editSeq: 0n };

/** Recomputes a log from its rows. Detects changes, removals and insertions made without SECRET_KEY. */
@Injectable()
export class LogVerifierService {
  constructor(
    private readonly database: Database,
    private readonly leaves: LeafService,
    private readonly chains: KeyChainsService,
    private readonly seals: SealsService,
  ) {}

  /** @throws BAD_USER_INPUT on a range that ends before it begins, and on a damaged checkpoint or one of another tenant */
  async verify({ tenantId, work }: Caller, { from, to }: Range, checkpoint?: string | null): Promise<LogVerification> {
    if (from && to && to < from) throw badInput('to', 'must not be before from');
    const kept = typeof checkpoint === 'string' ? readCheckpoint(checkpoint, tenantId) : undefined;
    for (let tries = 1; ; tries++) {
      const progress = beginning(tenantId, { from, to }, () => turnOf(work));
      try {
        await this.check(progress, kept);
        return { valid: true, ...countsOf(progress), ...FINE };
      } catch (error) {
        const found = error instanceof BlockFault ? brokenBy(error) : error;
        if (!(found instanceof TamperFound)) throw error;
        // Retry after a concurrent retention, which is no tampering.
        if (tries < MAX_TRIES && (await this.wasMoved(progress))) continue;
        return { valid: false, ...countsOf(progress), ...FINE, ...found.finding, checkedTo: null };
      }
    }
  }

  private async check(progress: Progress, kept: Checkpoint | undefined): Promise<void> {
    progress.horizon = await this.horizonOf(progress);
    if (kept) await this.checkCheckpoint(kept, await this.chainOf(progress));
    const source = new DatabaseLogSource(this.database, progress.tenantId);
    // Read before the blocks: each row up to this position is then in a block.
    const sealed = await this.seals.sealedUpTo();
    const end = await this.checkBlocks(progress, source);
    if (!progress.checkedTo) await this.checkTail(progress, source, end, sealed ?? NOT_SEALED);
  }

  /** Returns the number of the last block with removed records. @throws TamperFound if the horizon was changed */
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

  /** Reads the keys of the log. @throws TamperFound that names the first invalid key change */
  private async chainOf({ tenantId }: Progress): Promise<KeyChain> {
    const chain = await this.chains.of(tenantId);
    if (chain.brokenAt) throw brokenBlock(chain.brokenAt.number, chain.brokenAt.reason);
    return chain;
  }

  private async checkCheckpoint({ tenantId, number, hash, sealedAt, publicKey }: Checkpoint, chain: KeyChain): Promise<void> {
    if (!chain.has(publicKey)) {
      throw brokenBlock(number, `The history up to block ${number} is not signed with the key of the checkpoint`);
    }
    const block = await blockOfNumber(this.database, tenantId, number);
    if (!block) throw brokenBlock(number, `Block ${number} of the checkpoint was removed: the log was truncated`);
    if (block.hash !== hash || block.sealedAt.toISOString() !== sealedAt) {
      throw brokenBlock(number, `Block ${number} does not match the checkpoint: the history up to it was replaced`);
    }
    checkSeal(block, chain);
  }

  /** Verifies the blocks. Returns the last one. */
  private async checkBlocks(progress: Progress, source: DatabaseLogSource): Promise<BlockHead | undefined> {
    const check = { leaves: this.leaves, acceptsAnyMac: !(await this.chains.areMacsComplete()) };
    const { tenantId, from } = progress;
    const earliest = from && new Date(from.getTime() - CLOCKS_MS);
    // Skip blocks sealed before the start of the range, which contain none of its records.
    let previous = earliest ? await lastBlockBefore(this.database, tenantId, earliest) : undefined;
    const chain = await this.chainOf(progress);
    if (previous) checkSeal(previous, chain);
    const number = previous ? previous.number + 1 : 0;
    const verifier = new ChainVerifier({ number, previous, publicKey: chain.keyAt(number) });
    for await (const block of source.blocksAfter(previous)) {
      // Check for a concurrent change to a key unknown to this node.
      if (block.keyChange !== null) await this.chainOf(progress);
      verifier.begin(block);
      const contents = contentsOf(block);
      if (block.keyChange !== null || block.horizon !== null) checkOnlyLeaf(block, verifier);
      else if (!source.hasStarted && isBefore(contents, progress)) verifier.endWithoutLeaves();
      else if (isAfter(contents, progress)) return this.newest(progress);
      else if (isEnough(progress, block, contents)) return undefined;
      else {
        source.startAfter(previous);
        await this.checkContents(progress, block, contents, { source, verifier, check });
      }
      previous = block;
      await progress.turn();
    }
    return previous;
  }

  private async newest(progress: Progress): Promise<BlockHead | undefined> {
    const [block] = await newestBlocks(this.database, [progress.tenantId]);
    if (block) checkSeal(block, await this.chainOf(progress));
    return block;
  }

  private async checkContents(
    progress: Progress,
    block: Block,
    contents: Contents,
    { source, verifier, check }: { source: DatabaseLogSource; verifier: ChainVerifier; check: LeafCheck },
  ): Promise<void> {
    const isRemoved = block.number <= progress.horizon;
    const { logs, edits } = isRemoved ? NO_IDS : contents;
    let erased = 0;
    for await (const log of source.recordsOf(block, logs)) {
      checkLog(log, check);
      verifier.addRecord(log.id, log.leafHash);
      if (log.erasedAt && isWithin(progress, timeOfId(log.id))) erased++;
    }
    for await (const edit of source.editsOf(block, edits)) {
      checkEdit(edit, check);
      verifier.addEdit(edit.id, edit.logId, edit.leafHash);
    }
    const records = contents.logs.filter((id) => isWithin(progress, timeOfId(id))).length;
    if (isRemoved) {
      progress.removedRecords += records;
      return verifier.endWithoutLeaves();
    }
    await progress.turn();
    verifier.end();
    progress.leaves += block.leafCount;
    progress.checkedRecords += records;
    progress.erasedRecords += erased;
    if (records > 0 || contents.edits.some(([id]) => isWithin(progress, timeOfId(id)))) progress.checkedBlocks++;
  }

  /** Checks the MACs of unsealed rows. An unsealed row with an already sealed seq was inserted by an intruder. */
  private async checkTail(
    progress: Progress,
    source: DatabaseLogSource,
    end: BlockHead | undefined,
    sealed: Position,
  ): Promise<void> {
    const check = { leaves: this.leaves, acceptsAnyMac: false };
    for await (const logs of source.rowsAfter(end?.toSeq, progress, logsWithEdits)) {
      for (const log of logs) {
        if (isFull(progress, log.createdAt)) return;
        if (log.seq <= sealed.seq) throw unsealed(log.id);
        checkLog(log, check);
        progress.leaves++;
        progress.checkedRecords++;
        progress.unsealedRecords++;
        if (log.erasedAt) progress.erasedRecords++;
      }
      await progress.turn();
    }
    for await (const edits of source.rowsAfter(end?.toEditSeq, progress, editsInOrder)) {
      for (const edit of edits) {
        if (isFull(progress, edit.dateTime)) return;
        if (edit.seq <= sealed.editSeq) throw unsealed(edit.logId, edit.id);
        checkEdit(edit, check);
        progress.leaves++;
      }
      await progress.turn();
    }
  }
}

function checkSeal(block: BlockHead, chain: KeyChain): void {
  if (!chain.isSealed(block)) throw brokenBy(new BlockFault('signature', block));
}

/** Checks the only leaf of a block without records: a key change or a horizon. */
function checkOnlyLeaf(block: Block, verifier: ChainVerifier): void {
  if (block.horizon !== null && !horizonOf(block)) throw wrongHorizon(block);
  if (block.horizon !== null) verifier.addHorizon(block.horizon);
  const change = block.keyChange === null ? undefined : readKeyChange(block.keyChange);
  if (change) verifier.addKeyChange(change);
  verifier.end();
}

const wrongHorizon = (block: BlockHead): TamperFound => brokenBy(new BlockFault('horizon', block));
const unsealed = (id: string, editId?: string): TamperFound =>
  brokenLog(id, `${nameOfRow(editId)} is in no block, although later ones are: it was inserted, or its block was removed`);
