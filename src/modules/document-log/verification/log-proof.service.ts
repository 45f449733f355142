import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { turnOf } from '../../../common/scheduling/heavy-run.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import { editContent, type LeafContent, logContent } from '../records/leaf-content.js';
import { auditPathOf, rootOf } from '../records/merkle.js';
import type { LogProof } from './seal.model.js';
import { BEFORE_ALL, editsOfSeqs, originalLogs } from '../records/records.queries.js';
import { leafHashes, seqOfEdit, seqOfLog } from './verify.queries.js';
import { hasItsIds, type LeafIds } from '../seals/block.js';
import type { Block } from '../seals/block-row.js';
import { blockOfEditSeq, blockOfNumber, blockOfSeq } from '../seals/blocks.queries.js';
import { makeCheckpoint } from '../seals/checkpoint.js';
import { KeyChainsService } from '../seals/key-chains.service.js';

/** Leaf of a record, or of an edit if `editId` is set. */
interface LeafPosition {
  seq: bigint;
  logId: string;
  editId: string | null;
}

/** Proves that a record or edit is in its block. */
@Injectable()
export class LogProofService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
  ) {}

  /** @throws NOT_FOUND for an unknown id; FAILED_PRECONDITION if the block does not contain the record */
  async prove({ tenantId, work }: Caller, id: string): Promise<LogProof | null> {
    checkText('id', id, { max: MAX_NAME });
    const leaf = await this.leafOf(tenantId, id);
    if (!leaf) throw notFound(`Log ${id}`);
    const { editId, seq } = leaf;
    const block = await (editId === null
      ? blockOfSeq(this.database, tenantId, seq)
      : blockOfEditSeq(this.database, tenantId, seq));
    if (!block) return null;
    const chain = await this.chains.of(tenantId);
    if (!chain.isSealed(block) || !hasItsIds(block)) throw mismatch(block);
    const { logs, edits } = JSON.parse(block.leafIds) as LeafIds;
    const editIds = edits.map(([edit]) => edit);
    const leafIndex = [...logs, ...editIds].indexOf(id);
    await turnOf(work);
    const hashes = await this.leafHashesOf(block, [logs, editIds]);
    await turnOf(work);
    if (leafIndex === -1 || rootOf(hashes).toString('base64url') !== block.root) throw mismatch(block);
    return {
      logId: leaf.logId,
      editId,
      ...(await this.contentOf(tenantId, leaf)),
      checkpoint: makeCheckpoint(block, chain.signer!),
      block: block.number,
      leafIndex,
      leafCount: block.leafCount,
      leafHash: hashes[leafIndex]!.toString('base64url'),
      path: auditPathOf(hashes, leafIndex).map((hash) => hash.toString('base64url')),
      root: block.root,
      previousBlockHash: block.previousHash,
      blockHash: block.hash,
    };
  }

  /** Finds a record, else an edit. */
  private async leafOf(tenantId: string, id: string): Promise<LeafPosition | undefined> {
    const seq = await seqOfLog(this.database, tenantId, id);
    if (seq !== undefined) return { seq, logId: id, editId: null };
    const edit = await seqOfEdit(this.database, tenantId, id);
    return edit && { ...edit, editId: id };
  }

  private async contentOf(tenantId: string, { seq, logId, editId }: LeafPosition): Promise<LeafContent> {
    if (editId === null) return logContent((await originalLogs(this.database, tenantId, [seq])).get(logId));
    return editContent((await editsOfSeqs(this.database, tenantId, [seq])).get(editId));
  }

  private async leafHashesOf(block: Block, [logs, edits]: [string[], string[]]): Promise<Buffer[]> {
    const { tenantId, number } = block;
    const previous = await blockOfNumber(this.database, tenantId, number - 1);
    const [after, afterEdit] = previous ? [previous.toSeq, previous.toEditSeq] : [BEFORE_ALL, BEFORE_ALL];
    const ofLogs = await leafHashes(this.database, 'Log', { tenantId, after, upTo: block.toSeq });
    const ofEdits = await leafHashes(this.database, 'LogEdit', { tenantId, after: afterEdit, upTo: block.toEditSeq });
    const hashes = [...logs.map((id) => ofLogs.get(id)), ...edits.map((id) => ofEdits.get(id))];
    return hashes.map((hash) => Buffer.from(hash ?? '', 'base64url'));
  }
}

const mismatch = ({ number }: Block): AppError =>
  new AppError('FAILED_PRECONDITION', `Block ${number} does not match its records; call verifyLogs for details`);
