import type { Dialect } from './dialect.js';

/**
 * Kinds of texts. A 'key' is short, such as an id, a hash or a status; the others count toward the size of a row. A 'long text' can be
 * longer than its share of a page. 'json' is the text of nested JSON.
 */
type TextKind = 'key' | 'text' | 'long text' | 'json' | { enum: string };
type KindOf<V> = V extends Date
  ? 'time'
  : V extends boolean
    ? 'boolean'
    : V extends bigint
      ? 'bigint'
      : V extends number
        ? 'integer' | 'bigint'
        : TextKind;
export type Kind = 'time' | 'boolean' | 'integer' | 'bigint' | TextKind;
/** Kind of each column, by the type of its values. */
export type Kinds<T> = { readonly [name in keyof T]-?: KindOf<NonNullable<T[name]>> };

/** Values as read and written by statements: 64-bit integers are numbers. */
type Numbers<T> = { [name in keyof T]: bigint extends T[name] ? number | Exclude<T[name], bigint> : T[name] };
/** Type of the rows of some columns. */
export type RowOf<C> = C extends Columns<infer T> ? Numbers<T> : never;

/** Columns of a table, described once for each statement that reads or inserts some of them. */
export class Columns<T> {
  constructor(
    readonly table: string,
    readonly kinds: Kinds<T>,
  ) {}

  get names(): (keyof T & string)[] {
    return Object.keys(this.kinds) as (keyof T & string)[];
  }

  pick<K extends keyof T & string>(...names: K[]): Columns<Pick<T, K>> {
    return this.filtered((name) => names.includes(name as K));
  }

  without<K extends keyof T & string>(...names: K[]): Columns<Omit<T, K>> {
    return this.filtered((name) => !names.includes(name as K));
  }

  /** Returns the columns whose texts count toward the size of a row, or only those that can be long. */
  texts({ long = false } = {}): (keyof T & string)[] {
    return this.names.filter((name) => this.kinds[name] === 'long text' || (!long && this.kinds[name] === 'text'));
  }

  private filtered<P>(isKept: (name: string) => boolean): Columns<P> {
    const kinds = Object.fromEntries(Object.entries(this.kinds).filter(([name]) => isKept(name)));
    return new Columns(this.table, kinds as Kinds<P>);
  }
}

/** Writes columns into a SELECT, and creates the objects of its rows in the same order. */
export interface Mapper<Row> {
  /** Columns of a table in SQL; `computed` replaces some of them with expressions. */
  columns(dialect: Dialect, table: string, computed?: { [name in keyof Row]?: string }): string;
  readonly count: number;
  /** Returns the object of a row. Ignores further cells. */
  row(cells: readonly unknown[]): Row;
}

export function mapper<T>(of: Columns<T>): Mapper<Numbers<T>> {
  const { names } = of;
  const kinds: Kind[] = names.map((name) => of.kinds[name]);
  return {
    count: names.length,
    columns: (dialect, table, computed = {}) =>
      names
        .map((name, index) => {
          const column = computed[name] ?? `${table}."${name}"`;
          return kinds[index] === 'time' ? dialect.milliseconds(column) : column;
        })
        .join(),
    row: (cells) => {
      const row: Partial<Record<keyof T, unknown>> = {};
      for (let index = 0; index < names.length; index++) row[names[index]!] = valueOf(kinds[index]!, cells[index]);
      return row as Numbers<T>;
    },
  };
}

function valueOf(kind: Kind, cell: unknown): unknown {
  if (cell === null) return null;
  if (kind === 'time') return new Date(cell as number);
  if (kind === 'boolean') return Boolean(cell);
  return kind === 'integer' || kind === 'bigint' ? Number(cell) : cell;
}
