import { eventLoop } from '../../scheduling/event-loop.js';
import type { Columns } from './columns.js';
import type { Compiled, Dialect } from './dialect.js';
import { raw, type Sql } from './sql.js';
import { UpTo, type Wanted } from './up-to.js';

export type { Wanted };

/** Most bytes that are read before their size is known. */
export const SMALL_BYTES = 1024 * 1024;

/** A statement whose columns were written by `sizedColumns`. */
export interface SizedStatement {
  statement: Sql;
  wanted: Wanted;
}

export interface RowsUpTo {
  /** If they exceed the wanted size, the last row is the one that made them. */
  rows: unknown[][];
  /** Exceeds the wanted size also if a row is incomplete. */
  bytes: number;
}

/**
 * Writes SQL for the size of a row's texts, which both databases know without reading them. Lists are written in SQL for its
 * sake; a page of files takes two thirds of the time that it takes through Prisma's client on SQLite.
 */
export const bytesOf = (columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

interface SizedColumns {
  all: string;
  key: string;
  bytes: string;
  /** The columns of `all` that can be long, spelled as they are there. */
  long: readonly string[];
}

/** Returns the key and the sizes of columns. The first column is the key. Columns are spelled without a table unless one is given. */
export function sizesOf<T>(columns: Columns<T>, table?: string): Omit<SizedColumns, 'all'> {
  const spelled = (names: string[]): string[] => names.map((name) => `${table ? `${table}.` : ''}"${name}"`);
  const long = spelled(columns.texts({ long: true }));
  return { key: spelled(columns.names)[0]!, bytes: bytesOf(spelled(columns.texts())), long };
}

/**
 * Writes the columns of a statement that can be read up to a size. SQLite is read row by row. PostgreSQL sends all rows
 * together: a first look leaves out long texts there, and a last column says so.
 */
export function sizedColumns(dialect: Dialect, wanted: Wanted, limit: number, columns: SizedColumns): Sql {
  const { all, key, bytes, long } = columns;
  if (wanted === 'sizes') return raw(`${key}, ${bytes} AS "bytes"`);
  if (wanted === 'rows' || dialect.readsRowByRow) return raw(all);
  // A text may exceed its share, or a single one would often spoil a page of short ones.
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

/** Reads the rows of a statement until they exceed a size. On PostgreSQL all rows up to the statement's limit are received. */
export async function rowsUpTo(database: Runner, { statement, wanted }: SizedStatement, maxBytes: number): Promise<RowsUpTo> {
  const { dialect } = database;
  const { text, values } = dialect.compile(statement);
  const end = new UpTo({ maxBytes, wanted });
  if (dialect.readsRowByRow) {
    const rows = await database.$query({ text, values: [...values, end] });
    eventLoop.countRead(end.bytes);
    return { rows, bytes: end.bytes };
  }
  const coming = await database.$query({ text, values });
  const isIncomplete = wanted === 'small rows' && coming.some((row) => row.at(-1) === true);
  const rows = end.take(coming) as unknown[][];
  eventLoop.countRead(end.bytes);
  return { rows, bytes: isIncomplete ? Infinity : end.bytes };
}
