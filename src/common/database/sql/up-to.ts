/** Number of rows whose processing can take milliseconds. */
export const MANY_ROWS = 50;

/**
 * Content of a statement's rows: whole rows; small whole rows, for a first statement; or the first column and the size of each
 * row.
 */
export type Wanted = 'rows' | 'small rows' | 'sizes';

/** Size at which the rows of a statement end: the row that exceeds it is the last. */
export interface SizeLimit {
  maxBytes: number;
  wanted: Wanted;
}

/** Stops collecting rows once they exceed a size. As the last value of a SQLite statement, it also stops the read. */
export class UpTo {
  /** Size of all rows read. */
  bytes = 0;

  constructor(readonly limit: SizeLimit) {}

  take(received: Iterable<unknown>): unknown[] {
    const { maxBytes, wanted } = this.limit;
    const rows: unknown[] = [];
    for (const row of received as Iterable<unknown[]>) {
      rows.push(row);
      this.bytes += wanted === 'sizes' ? Number(row.at(-1)) : lengthOf(row);
      if (this.bytes > maxBytes) break;
    }
    return rows;
  }
}

/** Returns the length of a row's texts in UTF-16 units. Approximates their memory, and their bytes if they are ASCII. */
function lengthOf(row: unknown[]): number {
  let length = 0;
  for (const cell of row) if (typeof cell === 'string') length += cell.length;
  return length;
}
