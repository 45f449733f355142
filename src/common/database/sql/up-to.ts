/**
 * Content of a statement's rows: whole rows; whole rows as far as they are small, for a first look; or the first column and
 * the size of each row.
 */
export type Wanted = 'rows' | 'small rows' | 'sizes';

/** The size at which the rows of a statement end: the row that exceeds it is the last. */
export interface SizeLimit {
  maxBytes: number;
  wanted: Wanted;
}

/** Ends rows once they exceed a size. As the last value of a statement on SQLite, it ends the reading itself. */
export class UpTo {
  /** Size of all rows read. */
  bytes = 0;

  constructor(readonly limit: SizeLimit) {}

  take(coming: Iterable<unknown>): unknown[] {
    const { maxBytes, wanted } = this.limit;
    const rows: unknown[] = [];
    for (const row of coming as Iterable<unknown[]>) {
      rows.push(row);
      this.bytes += wanted === 'sizes' ? Number(row.at(-1)) : lengthOf(row);
      if (this.bytes > maxBytes) break;
    }
    return rows;
  }
}

/** Length of a row's texts in UTF-16 units: close to the memory that they take, and their bytes if they are ASCII. */
function lengthOf(row: unknown[]): number {
  let length = 0;
  for (const cell of row) if (typeof cell === 'string') length += cell.length;
  return length;
}
