import { raw, type Sql, sql } from './sql.js';

/** Prefix by which the pool recognises a long statement. */
export const LONG_STATEMENT = '/* long */ ';

/**
 * Marks a statement that reads much, such as a scan of a whole table, or that belongs to background work, where nobody waits
 * for a single statement. On PostgreSQL it may take two minutes; all others have six seconds.
 */
export const long = (statement: Sql): Sql => sql`${raw(LONG_STATEMENT)}${statement}`;
