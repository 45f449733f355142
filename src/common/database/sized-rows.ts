import { noteRead } from '../bounds/read-turns.js';

/**
 * What a statement asks for: whole rows; rows as far as they are small, for a first look; or in place of each row its first
 * column and its size.
 */
export type Wanted = 'rows' | 'small rows' | 'sizes';

/** What is read before its size is known. */
export const SMALL_BYTES = 1024 * 1024;

/** A statement whose columns were written by `sizedColumns`. */
export interface SizedStatement {
  text: string;
  values: readonly unknown[];
  wanted: Wanted;
}

export interface RowsUpTo {
  /** The last one is that with which they have more than was asked for, if they do. */
  rows: unknown[][];
  /** More than was asked for, also if a row is not whole. */
  bytes: number;
}

/** In SQL, how many bytes the texts of a row have. Both databases know that without reading them. */
export const bytesOf = (columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

interface SizedColumns {
  all: string;
  key: string;
  bytes: string;
  /** Those of `all` that can be long, as they stand there. */
  long: readonly string[];
}

/**
 * The columns of a statement that can be read up to a size. PostgreSQL answers as a whole: there a long text stays behind
 * in a first look, and a last column says so. SQLite is read row by row.
 */
export function sizedColumns(isPostgres: boolean, wanted: Wanted, limit: number, columns: SizedColumns): string {
  const { all, key, bytes, long } = columns;
  if (wanted === 'sizes') return `${key}, ${bytes} AS "bytes"`;
  if (wanted === 'rows' || !isPostgres) return all;
  // A text may be longer than its share, else one of them would often spoil a page of short ones.
  const most = Math.ceil((4 * SMALL_BYTES) / limit);
  const guarded = long.reduce(
    (list, column) => list.replace(column, `CASE WHEN octet_length(${column}) <= ${most} THEN ${column} END`),
    all,
  );
  return `${guarded}, nullif(greatest(${long.map((column) => `octet_length(${column})`).join()}) > ${most}, false)`;
}

/** Ends rows once they have more than so many bytes. As the last value of a statement on SQLite: no further one is read. */
export class UpTo {
  /** Of all that were read. */
  bytes = 0;

  constructor(
    private readonly max: number,
    private readonly wanted: Wanted,
  ) {}

  of(coming: Iterable<unknown>): unknown[] {
    const rows: unknown[] = [];
    for (const row of coming as Iterable<unknown[]>) {
      rows.push(row);
      this.bytes += this.wanted === 'sizes' ? Number(row.at(-1)) : lengthOf(row);
      if (this.bytes > this.max) break;
    }
    noteRead(this.bytes);
    return rows;
  }
}

/** Of its texts, in UTF-16 units: what they take as they are held, and of plain text the bytes. */
function lengthOf(row: unknown[]): number {
  let length = 0;
  for (const cell of row) if (typeof cell === 'string') length += cell.length;
  return length;
}

type QueryArrays = (text: string, values: readonly unknown[]) => Promise<unknown[][]>;
type QueryUpTo = (query: QueryArrays, statement: SizedStatement, maxBytes: number) => Promise<RowsUpTo>;

export const sqliteUpTo: QueryUpTo = async (query, { text, values, wanted }, maxBytes) => {
  const end = new UpTo(maxBytes, wanted);
  const rows = await query(text, [...values, end]);
  return { rows, bytes: end.bytes };
};

/** The statement's own limit bounds what comes. */
export const postgresUpTo: QueryUpTo = async (query, { text, values, wanted }, maxBytes) => {
  const end = new UpTo(maxBytes, wanted);
  const coming = await query(text, values);
  const isIncomplete = wanted === 'small rows' && coming.some((row) => row.at(-1) === true);
  const rows = end.of(coming) as unknown[][];
  return { rows, bytes: isIncomplete ? Infinity : end.bytes };
};
