import { ERASED } from '../records/log-row.js';

/** Collects content missing from a bundle, which a sealed erasure or a sealed horizon must explain. */
export class Omissions {
  /** Records without values, until their erasure is seen. */
  private readonly records = new Set<string>();
  /** Records with edits without texts, until their erasure is seen. It can precede the bundle. */
  private readonly ofEdits = new Set<string>();
  private lastRemoved: number | undefined;
  private horizon: number | undefined;
  erasedRecords = 0;
  removedBlocks = 0;

  constructor(private readonly fromBlock: number) {}

  withoutValues(kind: 'record' | 'edit', logId: string): void {
    (kind === 'record' ? this.records : this.ofEdits).add(logId);
    if (kind === 'record') this.erasedRecords++;
  }

  withoutLeaves(block: number): void {
    this.lastRemoved = block;
    this.removedBlocks++;
  }

  /** Registers an edit. The edit of an erasure explains the missing content of its record. */
  seen({ field, logId }: Record<string, unknown>): void {
    if (field !== ERASED) return;
    this.records.delete(String(logId));
    this.ofEdits.delete(String(logId));
  }

  seenHorizon(upToBlock: number): void {
    this.horizon = upToBlock;
  }

  /** Describes the first omission without an erasure or a horizon, if any. */
  get unexplained(): string | undefined {
    if (this.lastRemoved !== undefined && this.lastRemoved > (this.horizon ?? -1)) {
      return `the records of block ${this.lastRemoved} are missing, and no retention horizon covers them`;
    }
    // An edit can outlive its record.
    const isWhole = this.fromBlock === 0 && this.removedBlocks === 0;
    const [id] = [...this.records, ...(isWhole ? this.ofEdits : [])];
    const again = 'if it was erased just now, export a new bundle';
    return id === undefined ? undefined : `the values of record ${id} are missing, and no edit seals its erasure; ${again}`;
  }
}
