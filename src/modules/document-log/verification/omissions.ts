import { ERASED } from '../records/log-row.js';

/** Content that a bundle lacks. A sealed edit of the bundle must say that it was erased, or a sealed horizon that it was removed. */
export class Omissions {
  /** Records without their values, until an edit that seals their erasure was seen. */
  private readonly records = new Set<string>();
  /** Records with edits without texts, until an edit that seals their erasure was seen. That edit may be in a block before the bundle. */
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

  /** Takes the content of each edit; one that seals an erasure explains what its record lacks. */
  seen({ field, logId }: Record<string, unknown>): void {
    if (field !== ERASED) return;
    this.records.delete(String(logId));
    this.ofEdits.delete(String(logId));
  }

  seenHorizon(upToBlock: number): void {
    this.horizon = upToBlock;
  }

  /** Describes the first omission that no erasure and no horizon explains; undefined if there is none. */
  get unexplained(): string | undefined {
    if (this.lastRemoved !== undefined && this.lastRemoved > (this.horizon ?? -1)) {
      return `the records of block ${this.lastRemoved} are missing, and no horizon says that they were removed`;
    }
    // An edit can outlive its record.
    const isWhole = this.fromBlock === 0 && this.removedBlocks === 0;
    const [id] = [...this.records, ...(isWhole ? this.ofEdits : [])];
    const again = 'if it was erased a moment ago, ask for a new bundle';
    return id === undefined ? undefined : `the values of record ${id} are missing, and no edit seals its erasure; ${again}`;
  }
}
