import type { Dialect } from './dialect.js';

/** Columns of a table, with the types of their values. */
export type ColumnKinds<T> = { [name in keyof T]-?: 'as it is' | 'time' | 'boolean' | 'number' };

/** Maps rows to objects. One list of columns serves both SELECT and objects, so the two cannot differ. */
export interface Mapper<T> {
  /** Writes the columns of a table in SQL, in order; `computed` replaces some of them with expressions. */
  columns(dialect: Dialect, table: string, computed?: { [name in keyof T]?: string }): string;
  readonly count: number;
  /** Creates an object from the cells of these columns. Ignores further cells. */
  row(cells: readonly unknown[]): T;
}

export function mapper<T>(kinds: ColumnKinds<T>): Mapper<T> {
  const entries = Object.entries(kinds) as [keyof T & string, ColumnKinds<T>[keyof T]][];
  return {
    count: entries.length,
    columns: (dialect, table, computed = {}) =>
      entries
        .map(([name, kind]) => {
          const column = computed[name] ?? `${table}."${name}"`;
          return kind === 'time' ? dialect.milliseconds(column) : column;
        })
        .join(),
    row: (cells) => {
      const row: Partial<Record<keyof T, unknown>> = {};
      for (const [index, [name, kind]] of entries.entries()) {
        const cell = cells[index];
        if (cell === null || kind === 'as it is') row[name] = cell;
        else if (kind === 'time') row[name] = new Date(cell as number);
        else row[name] = kind === 'boolean' ? Boolean(cell) : Number(cell);
      }
      return row as T;
    },
  };
}
