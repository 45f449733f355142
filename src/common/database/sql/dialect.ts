import { storableTime } from '../../base/time.js';
import { empty, raw, type Sql, sql } from './sql.js';

/** A statement as the driver takes it. */
export interface Compiled {
  text: string;
  values: unknown[];
  /** Under which a connection to PostgreSQL keeps the parsed statement; left out for one that rarely comes again. */
  name?: string;
}

/** How a database spells what SQL leaves to it. No other code knows which database it is or how it numbers parameters. */
export interface Dialect {
  compile(statement: Sql): Compiled;
  /** Returns this database's spelling, where the two differ as a whole. */
  pick<T>(spellings: { sqlite: T; postgresql: T }): T;
  /** A time as a value. A time outside the storable range becomes its first or last. */
  time(date: Date): Sql;
  /** A column of times as milliseconds since 1970. */
  milliseconds(column: string): string;
  /** An expression in milliseconds, converted to a time as it is stored. */
  timeOf(milliseconds: string): string;
  /** A 64-bit number exact to the last digit, as text or as the driver reads it: SQLite's driver rounds numbers over 2^53. */
  exactly(column: string): string;
  /** The first characters (code points) of a text, spelled as in the indexes on them. */
  prefix(column: string, length: number): string;
  /** The function that returns where a text has another one, from 1 on; 0 without it. */
  readonly position: string;
  /** A table of the elements of a JSON array, with one column `value`; `value ->> 0` reads a member as text or number. */
  elements(json: string | Sql, alias: string): Sql;
  /** Texts as a subquery with the column `value`: one parameter however many there are. */
  texts(values: readonly string[]): Sql;
  /** A value of an enum, which has a type of its own on PostgreSQL. */
  enumValue(value: string, type: string): Sql;
  /** Makes SQLite use an index that its planner would not choose; PostgreSQL chooses it by its statistics. */
  indexedBy(index: string): Sql;
  /** Precedes a column whose indexes SQLite must not use: without statistics it expects ten rows of a tenant, and reads all that there are. */
  readonly unindexed: Sql;
  /** Ends a subquery to keep its conditions apart: planners would consider outer ones too, and walk another index. */
  readonly fence: Sql;
  /** Whether the driver returns rows one by one, so that reading can end at any of them. */
  readonly readsRowByRow: boolean;
  /** How many writing statements can run at once, up to `most`. SQLite has one writer. */
  concurrentWrites(most: number): number;
}

export const SQLITE: Dialect = {
  compile: (statement) => ({ text: statement.sql, values: statement.values }),
  pick: ({ sqlite }) => sqlite,
  time: (date) => sql`${storableTime(date).getTime()}`,
  // An expression, since the adapter would turn a plain column into dates.
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
