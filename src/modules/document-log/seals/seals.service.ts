import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Config } from '../../../common/config/config.js';
import { PrismaService } from '../../../common/database/prisma.service.js';
import { AppError, notFound } from '../../../common/errors/app-error.js';
import { checkText, MAX_NAME } from '../../../common/validation/text.js';
import { editsOfSeqs, originalLogs } from '../bundle/bundle.queries.js';
import { BEFORE_ALL } from '../log-seq.queries.js';
import type { LogProof } from '../models/seal.model.js';
import { idsHashOf, isSealed, type LeafIds } from './block.js';
import type { Block } from './block-row.js';
import { Blocks } from './blocks.queries.js';
import { makeCheckpoint } from './checkpoint.js';
import { canonicalEdit, canonicalLog } from './leaves.js';
import { pathOf, rootOf } from './merkle.js';
import { SealSigner } from './seal-signer.js';
import { leafHashes, placeOfEdit, placeOfLog, type Position } from './seals.queries.js';

const LOOK_AT = 100;

/** Answers from the seals: how far they reach, a checkpoint to keep elsewhere, the proof of one record. */
@Injectable()
export class SealsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly blocks: Blocks,
    private readonly signer: SealSigner,
  ) {}

  /** Up to where every tenant's rows are sealed. Blocks that were forged, to end all sealing, are passed over. */
  async sealedUpTo(): Promise<Position> {
    for (let skip = 0, take = 1; ; skip += take, take = LOOK_AT) {
      const blocks = await this.blocks.furthest(skip, take);
      const furthest = blocks.find((block) => isSealed(block, this.signer));
      if (furthest) return { seq: furthest.toSeq, editSeq: furthest.toEditSeq };
      if (blocks.length === 0) return { seq: 0n, editSeq: 0n };
    }
  }

  async latestSeal({ tenantId }: Caller): Promise<string | null> {
    const [newest] = await this.blocks.newest([tenantId]);
    if (!newest) return null;
    // A checkpoint of a forged block would make it genuine.
    if (!isSealed(newest, this.signer)) throw tampered('The newest block was changed');
    return makeCheckpoint(newest, this.signer);
  }

  /** @throws NOT_FOUND for an unknown id, FAILED_PRECONDITION when the record is no leaf where it should be one. */
  async logProof({ tenantId }: Caller, id: string): Promise<LogProof | null> {
    checkText('id', id, { max: MAX_NAME });
    const leaf = await this.leafOf(tenantId, id);
    if (!leaf) throw notFound(`Log ${id}`);
    const { editId, seq } = leaf;
    const block = await (editId === null ? this.blocks.ofSeq(tenantId, seq) : this.blocks.ofEditSeq(tenantId, seq));
    if (!block) return null;
    const fault = () => tampered(`Block ${block.number} and its records do not fit`);
    if (!isSealed(block, this.signer) || block.idsHash !== idsHashOf(block.leafIds)) throw fault();
    const { logs, edits } = JSON.parse(block.leafIds) as LeafIds;
    const ids = [...logs, ...edits.map(([edit]) => edit)];
    const leafIndex = ids.indexOf(id);
    const leafs = await this.leafsOf(block, [logs, edits.map(([edit]) => edit)]);
    if (leafIndex === -1 || rootOf(leafs).toString('base64url') !== block.root) throw fault();
    return {
      logId: leaf.logId,
      editId,
      content: await this.contentOf(tenantId, leaf),
      checkpoint: makeCheckpoint(block, this.signer),
      block: block.number,
      leafIndex,
      leafCount: block.leafCount,
      leafHash: leafs[leafIndex]!.toString('base64url'),
      path: pathOf(leafs, leafIndex).map((hash) => hash.toString('base64url')),
      root: block.root,
      previousBlockHash: block.previousHash,
      blockHash: block.hash,
    };
  }

  /** Of a record, or else of an edit. */
  private async leafOf(tenantId: string, id: string): Promise<LeafPlace | undefined> {
    const { isPostgres } = this.config;
    const seq = await placeOfLog(this.prisma, isPostgres, tenantId, id);
    if (seq !== undefined) return { seq, logId: id, editId: null };
    const edit = await placeOfEdit(this.prisma, isPostgres, tenantId, id);
    return edit && { ...edit, editId: id };
  }

  private async contentOf(tenantId: string, { seq, logId, editId }: LeafPlace): Promise<string | null> {
    const { isPostgres } = this.config;
    if (editId === null) return written((await originalLogs(this.prisma, isPostgres, tenantId, [seq])).get(logId), canonicalLog);
    return written((await editsOfSeqs(this.prisma, isPostgres, tenantId, [seq])).get(editId), canonicalEdit);
  }

  private async leafsOf(block: Block, [logs, edits]: [string[], string[]]): Promise<Buffer[]> {
    const { tenantId, number } = block;
    const previous = await this.blocks.ofNumber(tenantId, number - 1);
    const [after, afterEdit] = previous ? [previous.toSeq, previous.toEditSeq] : [BEFORE_ALL, BEFORE_ALL];
    const { isPostgres } = this.config;
    const ofLogs = await leafHashes(this.prisma, isPostgres, 'Log', { tenantId, after, upTo: block.toSeq });
    const ofEdits = await leafHashes(this.prisma, isPostgres, 'LogEdit', { tenantId, after: afterEdit, upTo: block.toEditSeq });
    const hashes = [...logs.map((id) => ofLogs.get(id)), ...edits.map((id) => ofEdits.get(id))];
    return hashes.map((hash) => Buffer.from(hash ?? '', 'base64url'));
  }
}

interface LeafPlace {
  seq: bigint;
  logId: string;
  editId: string | null;
}

/** Nothing of a row whose times were changed to what is no time. */
function written<T>(row: T | undefined, canonical: (row: T) => string): string | null {
  try {
    return row ? canonical(row) : null;
  } catch {
    return null;
  }
}

const tampered = (what: string): AppError => new AppError('FAILED_PRECONDITION', `${what}; ask verifyLogs what was done`);
