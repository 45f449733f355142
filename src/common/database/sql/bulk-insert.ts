import type { Columns, Kind, Kinds, RowOf } from './columns.js';
import type { Dialect } from './dialect.js';
import { raw, type Sql, sql } from './sql.js';

/** Rows passed to a statement as one JSON list, with names for their values in both. */
export interface JsonRows<T> {
  /** Writes a row as an element of the list. */
  element(dialect: Dialect, row: T): string;
  /** Returns the rows of a list, as a table `r` for FROM. */
  table(dialect: Dialect, list: Sql): Sql;
  /** Returns the value of a column of that table. */
  value(dialect: Dialect, name: keyof T & string): Sql;
  /** Returns all values under their names, for SELECT. */
  columns(dialect: Dialect): Sql;
}

export interface BulkInsert<T> extends JsonRows<T> {
  /** Returns `INSERT INTO … SELECT …`, to be followed by FROM with `table`. */
  insert(dialect: Dialect): Sql;
}

const POSTGRESQL_TYPES = {
  key: 'text',
  text: 'text',
  'long text': 'text',
  time: 'timestamp(3)',
  boolean: 'boolean',
  integer: 'integer',
  bigint: 'bigint',
  json: 'json',
};

/**
 * Describes rows by the kinds of their columns. SQLite reads array members faster than object members, so its elements are arrays in
 * the order of the description. PostgreSQL reads all members of an object at once, but those of an array one by one. Nested JSON is
 * an object member, but a text in the array, since SQLite would otherwise parse and write it twice.
 */
export function jsonRows<T extends object>(kinds: Kinds<T>): JsonRows<T> {
  const entries = Object.entries(kinds) as [keyof T & string, Kind][];
  const positions: string[] = entries.map(([name]) => name);
  const plain = entries.filter(([, kind]) => kind !== 'json');
  const nested = entries.filter(([, kind]) => kind === 'json').map(([name]) => name);

  const asArray = (row: T): string =>
    JSON.stringify(entries.map(([name, kind]) => (kind === 'time' ? millisecondsOf(row[name]) : row[name])));
  const asObject = (row: T): string => {
    if (nested.length === 0) return JSON.stringify(row);
    const members = Object.fromEntries(plain.map(([name]) => [name, row[name]]));
    const json = nested.map((name) => `"${name}":${String(row[name])}`);
    return `${JSON.stringify(members).slice(0, -1)},${json.join()}}`;
  };
  const typed = entries.map(
    ([name, kind]) => `"${name}" ${typeof kind === 'string' ? POSTGRESQL_TYPES[kind] : `"${kind.enum}"`}`,
  );
  const values = {
    sqlite: (name: string) => `r.value ->> ${positions.indexOf(name)}`,
    postgresql: (name: string) => `r."${name}"`,
  };
  const namedBy = (value: (name: string) => string): Sql => raw(entries.map(([name]) => `${value(name)} AS "${name}"`).join());
  const columns = { sqlite: namedBy(values.sqlite), postgresql: namedBy(values.postgresql) };
  return {
    element: (dialect, row) => dialect.pick({ sqlite: asArray, postgresql: asObject })(row),
    table: (dialect, list) =>
      dialect.pick({
        sqlite: sql`json_each(${list}) AS r`,
        postgresql: sql`json_to_recordset((${list})::json) AS r(${raw(typed.join())})`,
      }),
    value: (dialect, name) => raw(dialect.pick(values)(name)),
    columns: (dialect) => dialect.pick(columns),
  };
}

/**
 * Describes an INSERT of many rows. `others` are columns computed by SQL expressions. The caller adds FROM and the rest of the
 * statement, and compiles it once.
 */
export function bulkInsert<T>(columns: Columns<T>, others: Record<string, string> = {}): BulkInsert<RowOf<Columns<T>>> {
  const rows = jsonRows(columns.kinds as Kinds<RowOf<Columns<T>>>);
  const names = [...columns.names, ...Object.keys(others)].map((name) => `"${name}"`).join();
  const further = raw(Object.entries(others).map(([name, expression]) => `,${expression} AS "${name}"`).join('')); // prettier-ignore
  const into = raw(`INSERT INTO "${columns.table}" (${names}) SELECT`);
  return { ...rows, insert: (dialect) => sql`${into} ${rows.columns(dialect)}${further}` };
}

const millisecondsOf = (time: unknown): number | null => (time as Date | null)?.getTime() ?? null;
