/**
 * PostgreSQL advisory lock. Writers of records and edits hold it shared from before they draw a seq until commit. The sealer takes it
 * exclusively for a moment, at which no transaction with a lower seq is open.
 */
export const SEAL_LOCK = 7_346_281_905;
