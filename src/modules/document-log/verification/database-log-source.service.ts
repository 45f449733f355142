import type { Database } from '../../../common/database/database.js';
import type { TenantDatabase } from '../../../common/database/tenant-database.js';
import { timeOfId } from '../../../common/base/ids.js';
import { AFTER_ALL, BEFORE_ALL } from '../records/records.queries.js';
import { RowsInOrder } from '../records/rows-in-order.js';
import { hasItsIds, type LeafIds } from '../seals/block.js';
import type { Block, BlockHead } from '../seals/block-row.js';
import { blocksFrom } from '../seals/blocks.queries.js';
import type { Range } from './progress.js';
import { brokenBlock, brokenLog, type TamperFound } from './tamper-found.js';
import { type CheckedEdit, type CheckedLog, editsInOrder, logsWithEdits, type RowRange } from './verify.queries.js';

/** Rows that are read and checked together, fewer if they are large; SQLite blocks the event loop while it reads them. */
const CHUNK = 250;
const PAGE_LEAVES = 10_000;

/** The ids of a block's leaves, and the times of creation in them. */
export interface Contents extends LeafIds {
  earliestMs: number;
  latestMs: number;
}

type ReadRows<T> = (database: TenantDatabase, range: RowRange) => Promise<T[]>;

/** Reads a log from the database: its blocks, the records and edits of each block, and the rows that are in no block yet. */
export class DatabaseLogSource {
  private readonly own: TenantDatabase;
  private logs: RowsInOrder<CheckedLog> | undefined;
  private edits: RowsInOrder<CheckedEdit> | undefined;
  /** The last block of the page that was read; rows beyond it are not read. */
  private end!: BlockHead;

  constructor(
    private readonly database: Database,
    tenantId: string,
  ) {
    this.own = database.of(tenantId);
  }

  /** Returns the blocks after one, or all. */
  async *blocksAfter(before: BlockHead | undefined): AsyncGenerator<Block, void> {
    const { tenantId } = this.own;
    for (let number = before && before.number + 1; ; number = this.end.number + 1) {
      const page = await blocksFrom(this.database, { tenantId, number, maxLeaves: PAGE_LEAVES });
      if (page.length === 0) return;
      this.end = page.at(-1)!;
      yield* page;
    }
  }

  /** Whether `recordsOf` and `editsOf` have begun. */
  get hasStarted(): boolean {
    return this.logs !== undefined;
  }

  /** Makes `recordsOf` and `editsOf` begin after a block, unless they have begun. */
  startAfter(block: BlockHead | undefined): void {
    this.logs ??= this.inOrder(block?.toSeq, logsWithEdits);
    this.edits ??= this.inOrder(block?.toEditSeq, editsInOrder);
  }

  /** Returns the records of a block, which must have these ids. @throws TamperFound that names the first missing or additional record */
  async *recordsOf({ number, toSeq }: Block, ids: LeafIds['logs']): AsyncGenerator<CheckedLog, void> {
    const known = new Set(ids);
    for (const id of ids) {
      const log = await this.logs!.next(toSeq, this.end.toSeq);
      if (log?.id !== id) throw log && !known.has(log.id) ? slippedIn(log.id, number) : await this.lost(id, number);
      yield log;
    }
    const extra = await this.logs!.next(toSeq, this.end.toSeq);
    if (extra) throw slippedIn(extra.id, number);
  }

  /** Returns the edits of a block, as `recordsOf` does its records. */
  async *editsOf({ number, toEditSeq }: Block, ids: LeafIds['edits']): AsyncGenerator<CheckedEdit, void> {
    const known = new Set(ids.map(([id]) => id));
    for (const [id, logId] of ids) {
      const edit = await this.edits!.next(toEditSeq, this.end.toEditSeq);
      if (edit?.id !== id)
        throw edit && !known.has(edit.id) ? slippedIn(edit.logId, number, edit.id) : lostEdit(id, logId, number);
      yield edit;
    }
    const extra = await this.edits!.next(toEditSeq, this.end.toEditSeq);
    if (extra) throw slippedIn(extra.logId, number, extra.id);
  }

  /** Returns the rows after a seq that were created in a range, in chunks. */
  async *rowsAfter<T extends { seq: bigint }>(
    seq = BEFORE_ALL,
    { from, to }: Range,
    read: ReadRows<T>,
  ): AsyncGenerator<T[], void> {
    for (let after: bigint | undefined = seq; after !== undefined;) {
      const rows = await read(this.own, { after, upTo: AFTER_ALL, limit: CHUNK, from, to });
      yield rows;
      after = rows.at(-1)?.seq;
    }
  }

  private inOrder<T extends { seq: bigint }>(seq = BEFORE_ALL, read: ReadRows<T>): RowsInOrder<T> {
    return new RowsInOrder(seq, (after, upTo) => read(this.own, { after, upTo, limit: CHUNK }));
  }

  private async lost(id: string, number: number): Promise<TamperFound> {
    const { log } = this.database.acrossTenants('a row that was moved to another tenant is still there');
    const isThere = await log.findFirst({ where: { id }, select: { id: true } });
    const what = isThere ? 'was moved: it does not stand at its place in' : 'was removed from';
    return brokenLog(id, `The record ${what} block ${number}`);
  }
}

/** Reads the ids of a block's leaves. Their times are in the ids, which are of version 7. @throws TamperFound when the ids were changed */
export function contentsOf(block: Block): Contents {
  if (!hasItsIds(block)) throw brokenBlock(block.number, `Block ${block.number} was changed: its list of leaves`);
  const ids = JSON.parse(block.leafIds) as LeafIds;
  let [earliestMs, latestMs] = [Infinity, -Infinity];
  for (const id of [...ids.logs, ...ids.edits.map(([edit]) => edit)]) {
    const timeMs = timeOfId(id);
    earliestMs = Math.min(earliestMs, timeMs);
    latestMs = Math.max(latestMs, timeMs);
  }
  return { ...ids, earliestMs, latestMs };
}

export const nameOfRow = (editId?: string): string => (editId ? `Edit ${editId} of the record` : 'The record');
const slippedIn = (id: string, number: number, editId?: string): TamperFound =>
  brokenLog(id, `${nameOfRow(editId)} was slipped in: block ${number}, within whose bounds it stands, does not have it`);
const lostEdit = (id: string, logId: string, number: number): TamperFound =>
  brokenLog(logId, `Edit ${id} of the record was removed from block ${number}, or moved`);
