import { setImmediate } from 'node:timers/promises';

/** Reads rows by seq in chunks. Prefetches the next chunk while returning the rows of the current one. */
export class RowsInOrder<T extends { seq: bigint }> {
  private rows: T[] = [];
  private index = 0;
  private coming: Promise<T[]> | undefined;

  constructor(
    private after: bigint,
    private readonly read: (after: bigint, upTo: bigint) => Promise<T[]>,
  ) {}

  /** Returns the next row up to a seq, if any. Prefetches up to `ahead` only: beyond the sealed rows, lower seqs can still appear. */
  async next(upTo: bigint, ahead: bigint): Promise<T | undefined> {
    while (this.index === this.rows.length && this.after < ahead) {
      this.rows = await (this.coming ?? this.read(this.after, ahead));
      this.index = 0;
      this.after = this.rows.at(-1)?.seq ?? ahead;
      this.coming = this.after < ahead ? this.read(this.after, ahead) : undefined;
      this.coming?.catch(ignore); // thrown later, on await of the chunk
      await setImmediate();
    }
    const row = this.rows[this.index];
    if (!row || row.seq > upTo) return undefined;
    this.index++;
    return row;
  }
}

const ignore = (): void => undefined;
