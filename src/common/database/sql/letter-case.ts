import type { Dialect } from './dialect.js';
import { raw, type Sql } from './sql.js';

/** A column without the case of ASCII letters: all that SQLite's lower() knows, and PostgreSQL's under this collation. */
export function withoutCase(dialect: Dialect, column: string): Sql {
  return raw(dialect.pick({ sqlite: `lower(${column})`, postgresql: `lower(${column} COLLATE "C")` }));
}
