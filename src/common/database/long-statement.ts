/**
 * The beginning of a statement that works through much, such as a scan of a whole table, or belongs to work that nobody
 * waits for step by step. On PostgreSQL it may take two minutes, where all others have six seconds.
 */
export const LONG_STATEMENT = '/* long */ ';
