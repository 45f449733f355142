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

/** Rows read and checked per step, fewer if large. SQLite blocks the event loop during a read. */
const CHUNK = 250;
const PAGE_LEAVES = 10_000;

/** Ids of a block's leaves, with their creation times. */
export interface Contents extends LeafIds {
  earliestMs: number;
  latestMs: number;
}

type ReadRows<T> = (database: TenantDatabase, range: RowRange) => Promise<T[]>;

/** Reads a log from the database: its blocks, their records and edits, and the unsealed rows. */
export class DatabaseLogSource {
  private readonly own: TenantDatabase;
  private logs: RowsInOrder<CheckedLog> | undefined;
  private edits: RowsInOrder<CheckedEdit> | undefined;
  /** Last block of the page. Bounds the rows to read. */
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

  /** True once `recordsOf` and `editsOf` have begun. */
  get hasStarted(): boolean {
    return this.logs !== undefined;
  }

  /** Sets the block after which `recordsOf` and `editsOf` begin. No effect once they have begun. */
  startAfter(block: BlockHead | undefined): void {
    this.logs ??= this.inOrder(block?.toSeq, logsWithEdits);
    this.edits ??= this.inOrder(block?.toEditSeq, editsInOrder);
  }

  /** Returns the records of a block, which must have these ids. @throws TamperFound that names the first missing or extra record */
  async *recordsOf({ number, toSeq }: Block, ids: LeafIds['logs']): AsyncGenerator<CheckedLog, void> {
    const known = new Set(ids);
    for (const id of ids) {
      const log = await this.logs!.next(toSeq, this.end.toSeq);
      if (log?.id !== id) throw log && !known.has(log.id) ? inserted(log.id, number) : await this.lost(id, number);
      yield log;
    }
    const extra = await this.logs!.next(toSeq, this.end.toSeq);
    if (extra) throw inserted(extra.id, number);
  }

  /** Returns the edits of a block; see `recordsOf`. */
  async *editsOf({ number, toEditSeq }: Block, ids: LeafIds['edits']): AsyncGenerator<CheckedEdit, void> {
    const known = new Set(ids.map(([id]) => id));
    for (const [id, logId] of ids) {
      const edit = await this.edits!.next(toEditSeq, this.end.toEditSeq);
      if (edit?.id !== id)
        throw edit && !known.has(edit.id) ? inserted(edit.logId, number, edit.id) : lostEdit(id, logId, number);
      yield edit;
    }
    const extra = await this.edits!.next(toEditSeq, this.end.toEditSeq);
    if (extra) throw inserted(extra.logId, number, extra.id);
  }

  /** Returns the rows after a seq created within a time range, in chunks. */
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
    const { log } = this.database.acrossTenants('a row moved to another tenant still exists');
    const isThere = await log.findFirst({ where: { id }, select: { id: true } });
    const what = isThere ? 'was moved out of' : 'was removed from';
    return brokenLog(id, `The record ${what} block ${number}`);
  }
}

/** Reads the ids of a block's leaves, UUIDv7s that contain creation times. @throws TamperFound if the ids were changed */
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
const inserted = (id: string, number: number, editId?: string): TamperFound =>
  brokenLog(id, `${nameOfRow(editId)} was inserted: its seq is within block ${number}, which does not contain it`);
const lostEdit = (id: string, logId: string, number: number): TamperFound =>
  brokenLog(logId, `Edit ${id} of the record was removed from block ${number}, or moved`);
