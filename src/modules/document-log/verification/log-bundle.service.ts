import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { PAGE_BYTES } from '../../../common/lists/page.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput } from '../../../common/base/app-error.js';
import type { LogsWanted } from '../records/logs-filter.input.js';
import { BEFORE_ALL, editsOfSeqs, originalLogs } from '../records/records.queries.js';
import type { Block, BlockHead } from '../seals/block-row.js';
import { blockOfNumber, blocksFrom } from '../seals/blocks.queries.js';
import { makeCheckpoint } from '../seals/checkpoint.js';
import { turnOf, type Work } from '../../../common/scheduling/heavy-run.js';
import { editContent, type LeafContent, logContent } from '../records/leaf-content.js';
import { currentHorizon } from '../retention/retention.queries.js';
import { RowsInOrder } from '../records/rows-in-order.js';
import { readKeyChange } from '../seals/key-change.js';
import type { KeyChain } from '../seals/key-chain.js';
import { KeyChainsService } from '../seals/key-chains.service.js';
import { BUNDLE_FORMAT, type BundleLine, CHANGED_KEY_VERSION, type LeafLine, ONE_KEY_VERSION } from './bundle-lines.js';
import { editLeaves, type LeafRange, logLeaves, type SizedLeaf } from './verify.queries.js';

/** Leaves read per step, fewer if their contents are large. */
const CHUNK = 250;
const PAGE_LEAVES = 10_000;

export interface BundleWanted {
  /** Records to include with content; others have only a hash. */
  wanted: LogsWanted;
  fromBlock: number;
}

interface BundleLeaf {
  seq: bigint;
  line: LeafLine;
}

type ReadLeaves = (range: LeafRange) => Promise<BundleLeaf[]>;

/** Bundle from a block up to the newest block at its start. */
interface Plan extends BundleWanted {
  tenantId: string;
  before: BlockHead | undefined;
  end: BlockHead | undefined;
  chain: KeyChain;
  /** Last block with removed records. */
  horizon: number;
  work: Work | undefined;
}

/** Exports a bundle, which can be verified without this system. */
@Injectable()
export class LogBundleService {
  constructor(
    private readonly database: Database,
    private readonly chains: KeyChainsService,
  ) {}

  /** Starts an export. @throws BAD_USER_INPUT beyond the newest block; FAILED_PRECONDITION if that block was changed */
  async start({ tenantId, work }: Caller, asked: BundleWanted): Promise<AsyncGenerator<string, void>> {
    const { fromBlock } = asked;
    // Read first, so that the bundle contains the block of this horizon.
    const horizon = (await currentHorizon(this.database, tenantId))?.horizon?.upToBlock ?? -1;
    const { newest: end, chain } = await this.chains.newest(tenantId);
    if (end && !chain.isSealed(end)) {
      throw new AppError('FAILED_PRECONDITION', 'The newest block was changed; call verifyLogs for details');
    }
    const last = end ? end.number + 1 : 0;
    if (fromBlock > last) throw badInput('fromBlock', `must be at most ${last}, the number of the next block`);
    const before = fromBlock > 0 ? await blockOfNumber(this.database, tenantId, fromBlock - 1) : undefined;
    return this.lines({ ...asked, tenantId, before, end, chain, horizon, work });
  }

  private async *lines(plan: Plan): AsyncGenerator<string, void> {
    const { tenantId, fromBlock, end, chain } = plan;
    const version = end && chain.changesWithin(fromBlock, end.number) ? CHANGED_KEY_VERSION : ONE_KEY_VERSION;
    const publicKey = chain.keyAt(fromBlock);
    yield asText({ kind: 'header', format: BUNDLE_FORMAT, version, tenantId, publicKey, fromBlock });
    const counts = { blocks: 0, records: 0, edits: 0 };
    if (end) yield* this.blockLines(plan, end, counts);
    yield asText({ kind: 'end', ...counts, checkpoint: end ? makeCheckpoint(end, chain.signer!) : null });
  }

  private async *blockLines(
    plan: Plan,
    end: BlockHead,
    counts: Record<'blocks' | 'records' | 'edits', number>,
  ): AsyncGenerator<string, void> {
    const { tenantId, fromBlock, before } = plan;
    const records = this.inOrder(plan, before?.toSeq, (range) => this.records(range));
    const edits = this.inOrder(plan, before?.toEditSeq, (range) => this.edits(range));
    for (let number: number | undefined = fromBlock || undefined; ;) {
      const page: Block[] = await blocksFrom(this.database, { tenantId, number, maxLeaves: PAGE_LEAVES });
      for (const block of page) {
        if (block.number > end.number) return;
        counts.blocks++;
        yield blockText(block);
        yield* emptyBlockLines(block, plan.horizon);
        for (let leaf = await records.next(block.toSeq, end.toSeq); leaf; leaf = await records.next(block.toSeq, end.toSeq)) {
          counts.records++;
          yield asText(leaf.line);
        }
        for (
          let leaf = await edits.next(block.toEditSeq, end.toEditSeq);
          leaf;
          leaf = await edits.next(block.toEditSeq, end.toEditSeq)
        ) {
          counts.edits++;
          yield asText(leaf.line);
        }
      }
      const last = page.at(-1);
      if (!last || last.number >= end.number) return;
      number = last.number + 1;
      await turnOf(plan.work);
    }
  }

  private inOrder({ tenantId, wanted, work }: Plan, after: bigint | undefined, read: ReadLeaves): RowsInOrder<BundleLeaf> {
    return new RowsInOrder(after ?? BEFORE_ALL, async (from, upTo) => {
      await turnOf(work);
      return read({ tenantId, wanted, after: from, upTo, limit: CHUNK });
    });
  }

  private async records(range: LeafRange): Promise<BundleLeaf[]> {
    const leaves = upToAPage(await logLeaves(this.database, range));
    const seqs = seqsWanted(leaves);
    const contents = seqs.length > 0 ? await originalLogs(this.database, range.tenantId, seqs) : undefined;
    return leaves.map((leaf) => {
      const { seq, id, leafHash, isWanted } = leaf;
      const log = contents?.get(id);
      const content = isWanted ? shown(logContent(log), (log?.erasedAt ?? null) !== null) : undefined;
      return { seq, line: { kind: 'record', id, leafHash, ...content } };
    });
  }

  private async edits(range: LeafRange): Promise<BundleLeaf[]> {
    const leaves = upToAPage(await editLeaves(this.database, range));
    const seqs = seqsWanted(leaves);
    const contents = seqs.length > 0 ? await editsOfSeqs(this.database, range.tenantId, seqs) : undefined;
    return leaves.map((leaf) => {
      const { seq, id, leafHash, isWanted } = leaf;
      const edit = contents?.get(id);
      const isErased = edit?.oldValue === null && edit.newValue === null;
      const content = isWanted ? shown(editContent(edit), isErased) : undefined;
      return { seq, line: { kind: 'edit', logId: String(leaf.logId), id, leafHash, ...content } };
    });
  }
}

const seqsWanted = (leaves: SizedLeaf[]): bigint[] => leaves.filter(({ isWanted }) => isWanted).map(({ seq }) => seq);

/** Returns the first leaves up to a page of contents. The rest follows with the next chunk. */
function upToAPage(leaves: SizedLeaf[]): SizedLeaf[] {
  let total = 0;
  const end = leaves.findIndex(({ bytes, isWanted }, index) => (total += isWanted ? bytes : 0) > PAGE_BYTES && index > 0);
  return end === -1 ? leaves : leaves.slice(0, end);
}

/** Returns the members of a line. Replaces damaged content by an empty text, which matches no leaf. */
function shown({ content, personal, salt }: LeafContent, isErased: boolean) {
  if (isErased) return { content: content ?? '', erased: true as const };
  return { content: content ?? '', personal: personal ?? undefined, salt: salt ?? undefined };
}

/** Writes the line of a block without records and edits. */
function* emptyBlockLines({ number, keyChange, horizon }: Block, upToBlock: number): Generator<string> {
  const change = keyChange === null ? undefined : readKeyChange(keyChange);
  if (change) yield asText({ kind: 'key', ...change });
  else if (horizon !== null) yield asText({ kind: 'horizon', content: horizon });
  else if (number <= upToBlock) yield asText({ kind: 'removed' });
}

const asText = (line: BundleLine): string => `${JSON.stringify(line)}\n`;

/** Serializes a block, with null for an invalid time. */
function blockText(block: Block): string {
  const { number, leafCount, root, previousHash, hash, idsHash, toSeq, toEditSeq, sealedAt, signature } = block;
  const hashes = { root, previousHash, hash, idsHash };
  const line = {
    kind: 'block',
    number,
    leafCount,
    ...hashes,
    toSeq: String(toSeq),
    toEditSeq: String(toEditSeq),
    sealedAt,
    signature,
  };
  return `${JSON.stringify(line)}\n`;
}
