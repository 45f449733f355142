import { storableTime } from '../../base/time.js';
import { empty, raw, type Sql, sql } from './sql.js';

/** Statement in the format of the driver. */
export interface Compiled {
  text: string;
  values: unknown[];
  /** Name of the prepared statement on a PostgreSQL connection; undefined for one that rarely recurs. */
  name?: string;
}

/** SQL dialect of a database. No other code knows which database it is or how it numbers parameters. */
export interface Dialect {
  compile(statement: Sql): Compiled;
  /** Returns the variant for this database, where the two differ as a whole. */
  pick<T>(spellings: { sqlite: T; postgresql: T }): T;
  /** Writes a time as a value, clamped to the storable range. */
  time(date: Date): Sql;
  /** Writes a column of times as milliseconds since 1970. */
  milliseconds(column: string): string;
  /** Converts an expression in milliseconds to a stored time. */
  timeOf(milliseconds: string): string;
  /** Writes a 64-bit number without loss, if needed as text: SQLite's driver rounds numbers over 2^53. */
  exactly(column: string): string;
  /** Writes the first characters (code points) of a text, spelled as in the indexes on them. */
  prefix(column: string, length: number): string;
  /** Name of the function that returns the position of a text in another, from 1 on, or 0. */
  readonly position: string;
  /** Writes the elements of a JSON array as a table with one column `value`; `value ->> 0` reads a member as text or number. */
  elements(json: string | Sql, alias: string): Sql;
  /** Writes texts as a subquery with the column `value`, in a single parameter. */
  texts(values: readonly string[]): Sql;
  /** Writes a value of an enum, which has a type of its own on PostgreSQL. */
  enumValue(value: string, type: string): Sql;
  /** Forces an index that SQLite's planner would not choose. PostgreSQL chooses it by its statistics. */
  indexedBy(index: string): Sql;
  /** Prefix of a column whose indexes SQLite must not use: without statistics, it expects ten rows per tenant and reads all of them. */
  readonly unindexed: Sql;
  /** Ends a subquery so that its conditions stay separate: planners would consider outer ones too, and choose another index. */
  readonly fence: Sql;
  /** True if the driver returns rows one by one, so that reading can stop at any row. */
  readonly readsRowByRow: boolean;
  /** Returns how many writing statements can run concurrently, up to `most`. SQLite has one writer. */
  concurrentWrites(most: number): number;
}

export const SQLITE: Dialect = {
  compile: (statement) => ({ text: statement.sql, values: statement.values }),
  pick: ({ sqlite }) => sqlite,
  time: (date) => sql`${storableTime(date).getTime()}`,
  // Written as an expression, since the adapter would convert a plain column to dates.
  milliseconds: (column) => `+${column}`,
  timeOf: (milliseconds) => milliseconds,
  exactly: (column) => `CAST(${column} AS TEXT)`,
  prefix: (column, length) => `substr(${column}, 1, ${length})`,
  position: 'instr',
  elements: (json, alias) => sql`json_each(${asSql(json)}) AS ${raw(alias)}`,
  texts: (values) => sql`SELECT value FROM json_each(${JSON.stringify(values)})`,
  enumValue: (value) => sql`${value}`,
  indexedBy: (index) => raw(`INDEXED BY "${index}"`),
  unindexed: raw('+'),
  fence: raw('LIMIT -1'),
  readsRowByRow: true,
  concurrentWrites: () => 1,
};

export const POSTGRESQL: Dialect = {
  compile: (statement) => ({ text: statement.text, values: statement.values }),
  pick: ({ postgresql }) => postgresql,
  time: (date) => sql`${storableTime(date).toISOString().slice(0, -1)}::timestamp(3)`,
  milliseconds: (column) => `(extract(epoch FROM ${column}) * 1000)::float8`,
  timeOf: (milliseconds) => `(to_timestamp((${milliseconds})::float8 / 1000) AT TIME ZONE 'UTC')::timestamp(3)`,
  exactly: (column) => column,
  prefix: (column, length) => `left(${column}, ${length})`,
  position: 'strpos',
  elements: (json, alias) => sql`json_array_elements((${asSql(json)})::json) AS ${raw(`${alias}(value)`)}`,
  texts: (values) => sql`SELECT json_array_elements_text(${JSON.stringify(values)}::json) AS "value"`,
  enumValue: (value, type) => sql`${value}::${raw(`"${type}"`)}`,
  indexedBy: () => empty,
  unindexed: empty,
  fence: raw('OFFSET 0'),
  readsRowByRow: false,
  concurrentWrites: (most) => most,
};

const asSql = (expression: string | Sql): Sql => (typeof expression === 'string' ? raw(expression) : expression);
