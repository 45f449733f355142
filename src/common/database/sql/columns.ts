import type { Dialect } from './dialect.js';

/** The columns of a table, and the types of their values. */
export type ColumnKinds<T> = { [name in keyof T]-?: 'as it is' | 'time' | 'boolean' | 'number' };

/** One list of columns makes both the SELECT and the objects of its rows, so that the two cannot differ. */
export interface Mapper<T> {
  /** Writes the columns of a table in SQL, in their order; `computed` replaces some of them with expressions. */
  columns(dialect: Dialect, table: string, computed?: { [name in keyof T]?: string }): string;
  readonly count: number;
  /** Makes an object of the cells of these columns; further cells are left out. */
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
