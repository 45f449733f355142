import type { Mapper } from './sql/columns.js';
import type { Compiled, Dialect } from './sql/dialect.js';
import { type RowsUpTo, rowsUpTo, type SizedStatement } from './sql/sized-rows.js';
import type { Sql } from './sql/sql.js';

/** Runs raw statements, bypassing the client. Has the same type for one tenant and for all. */
export interface Rows {
  readonly dialect: Dialect;
  /** Runs a statement in the format of the driver. The methods below use it. */
  $query(compiled: Compiled): Promise<unknown[][]>;
  /**
   * Runs a statement and returns the rows of the driver. The client would serialize large parameters once more as JSON, parse that,
   * and inspect each value of the result. Batches of log records take 23 % less time without it on PostgreSQL, and 5 % less on
   * SQLite. Not for use inside a transaction, which has `$queryRaw` and `$executeRaw`.
   */
  $cells(statement: Sql): Promise<unknown[][]>;
  /** Same as `$cells`, as objects. The statement must select the columns of the mapper first. */
  $rows<T>(mapper: Mapper<T>, statement: Sql): Promise<T[]>;
  /**
   * Same as `$cells`, for rows that may be large: loads nothing past the row that exceeds the size. `sizedColumns` writes such
   * statements.
   */
  $cellsUpTo(statement: SizedStatement, maxBytes: number): Promise<RowsUpTo>;
  /**
   * Runs statements as one transaction, and returns the rows of each. For SQLite only, where each statement of any other transaction
   * crosses to another thread and back. On PostgreSQL, one statement can write several tables.
   */
  $atomically(statements: Sql[]): Promise<unknown[][][]>;
}

/** Methods derived from `$query`, the same for one tenant and for all. */
export const FROM_QUERY: Pick<Rows, '$cells' | '$rows' | '$cellsUpTo'> & ThisType<Rows> = {
  $cells(statement) {
    return this.$query(this.dialect.compile(statement));
  },
  async $rows(mapper, statement) {
    return (await this.$cells(statement)).map(mapper.row);
  },
  $cellsUpTo(statement, maxBytes) {
    return rowsUpTo(this, statement, maxBytes);
  },
};
