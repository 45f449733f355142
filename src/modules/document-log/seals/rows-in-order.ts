import { breathe } from './hashing.js';

/** Reads rows in chunks, in the order of seq, and hands them out one by one, while the next chunk is read. */
export class RowsInOrder<T extends { seq: bigint }> {
  private rows: T[] = [];
  private index = 0;
  private coming: Promise<T[]> | undefined;

  constructor(
    private after: bigint,
    private readonly read: (after: bigint, upTo: bigint) => Promise<T[]>,
  ) {}

  /**
   * The next row up to a seq, or nothing. It reads ahead up to `ahead` and never further, for beyond what is sealed a
   * lower seq can still appear.
   */
  async next(upTo: bigint, ahead: bigint): Promise<T | undefined> {
    while (this.index === this.rows.length && this.after < ahead) {
      this.rows = await (this.coming ?? this.read(this.after, ahead));
      this.index = 0;
      this.after = this.rows.at(-1)?.seq ?? ahead;
      this.coming = this.after < ahead ? this.read(this.after, ahead) : undefined;
      this.coming?.catch(ignore); // it is thrown where it is waited for, if it is
      await breathe();
    }
    const row = this.rows[this.index];
    if (!row || row.seq > upTo) return undefined;
    this.index++;
    return row;
  }
}

const ignore = (): void => undefined;
