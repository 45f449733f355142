/**
 * The advisory lock of PostgreSQL that every writer of records or edits holds shared, from before it draws a seq until the
 * commit. The sealer takes it exclusively for a moment: at that moment no transaction with a lower seq is open.
 */
export const SEAL_LOCK = 7_346_281_905;
