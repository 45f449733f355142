/** The columns of a table as a statement of our own reads them. */
export type ColumnKinds<T> = { [name in keyof T]-?: 'as it is' | 'time' | 'boolean' | 'number' };

/**
 * The columns in SQL, in their order; `computed` are expressions. Times are milliseconds, on SQLite an expression as well,
 * which the adapter leaves as it is.
 */
export function columnsOf<T>(
  isPostgres: boolean,
  kinds: ColumnKinds<T>,
  table: string,
  computed: { [name in keyof T]?: string } = {},
): string {
  const sql = Object.entries(kinds).map(([name, kind]) => {
    const column = computed[name as keyof T] ?? `${table}."${name}"`;
    if (kind !== 'time') return column;
    return isPostgres ? `(extract(epoch FROM ${column}) * 1000)::float8` : `+${column}`;
  });
  return sql.join();
}

/** Makes objects of the cells of such columns; there may be more cells. */
export function rowReader<T>(kinds: ColumnKinds<T>): (cells: readonly unknown[]) => T {
  const columns = Object.entries(kinds);
  return (cells) => {
    const row: Record<string, unknown> = {};
    for (const [index, [name, kind]] of columns.entries()) {
      const cell = cells[index];
      if (cell === null || kind === 'as it is') row[name] = cell;
      else if (kind === 'time') row[name] = new Date(cell as number);
      else row[name] = kind === 'boolean' ? Boolean(cell) : Number(cell);
    }
    return row as T;
  };
}
