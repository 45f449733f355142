import { eventLoop } from '../../scheduling/event-loop.js';
import type { Columns } from './columns.js';
import type { Compiled, Dialect } from './dialect.js';
import { raw, type Sql } from './sql.js';
import { UpTo, type Wanted } from './up-to.js';

export type { Wanted };

/** Maximum bytes read before their size is known. */
export const SMALL_BYTES = 1024 * 1024;

/** Statement with columns from `sizedColumns`. */
export interface SizedStatement {
  statement: Sql;
  wanted: Wanted;
}

export interface RowsUpTo {
  /** Rows read. If they exceed the size, the last row is the one that exceeded it. */
  rows: unknown[][];
  /** Size of the rows. Also exceeds the limit if a row is incomplete. */
  bytes: number;
}

/**
 * Writes SQL for the size of a row's texts, which both databases know without reading them. For this reason, lists are queried in SQL:
 * a page of files takes two thirds of the time that Prisma's client needs on SQLite.
 */
export const bytesOf = (columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

interface SizedColumns {
  all: string;
  key: string;
  bytes: string;
  /** Columns of `all` that can be long, with the same spelling. */
  long: readonly string[];
}

/** Returns the key and the sizes of columns. The first column is the key. Columns are spelled without a table unless one is given. */
export function sizesOf<T>(columns: Columns<T>, table?: string): Omit<SizedColumns, 'all'> {
  const spelled = (names: string[]): string[] => names.map((name) => `${table ? `${table}.` : ''}"${name}"`);
  const long = spelled(columns.texts({ long: true }));
  return { key: spelled(columns.names)[0]!, bytes: bytesOf(spelled(columns.texts())), long };
}

/**
 * Writes the columns of a statement that can be read up to a size. SQLite is read row by row. PostgreSQL sends all rows together,
 * so a first statement leaves out long texts, and a last column reports that.
 */
export function sizedColumns(dialect: Dialect, wanted: Wanted, limit: number, columns: SizedColumns): Sql {
  const { all, key, bytes, long } = columns;
  if (wanted === 'sizes') return raw(`${key}, ${bytes} AS "bytes"`);
  if (wanted === 'rows' || dialect.readsRowByRow) return raw(all);
  // A text may exceed its share, since a single longer one would often spoil a page of short ones.
  const most = Math.ceil((4 * SMALL_BYTES) / limit);
  const guarded = long.reduce(
    (list, column) => list.replace(column, `CASE WHEN octet_length(${column}) <= ${most} THEN ${column} END`),
    all,
  );
  return raw(`${guarded}, nullif(greatest(${long.map((column) => `octet_length(${column})`).join()}) > ${most}, false)`);
}

interface Runner {
  dialect: Dialect;
  $query(compiled: Compiled): Promise<unknown[][]>;
}

/** Reads the rows of a statement until they exceed a size. PostgreSQL still sends all rows up to the statement's limit. */
export async function rowsUpTo(database: Runner, { statement, wanted }: SizedStatement, maxBytes: number): Promise<RowsUpTo> {
  const { dialect } = database;
  const { text, values } = dialect.compile(statement);
  const end = new UpTo({ maxBytes, wanted });
  if (dialect.readsRowByRow) {
    const rows = await database.$query({ text, values: [...values, end] });
    eventLoop.countRead(end.bytes);
    return { rows, bytes: end.bytes };
  }
  const received = await database.$query({ text, values });
  const isIncomplete = wanted === 'small rows' && received.some((row) => row.at(-1) === true);
  const rows = end.take(received) as unknown[][];
  eventLoop.countRead(end.bytes);
  return { rows, bytes: isIncomplete ? Infinity : end.bytes };
}
