/**
 * The advisory lock of PostgreSQL that whoever stores records or edits holds shared, from before a seq is drawn to the
 * commit. The sealer takes it exclusively for a moment: then no lower seq can still be on its way.
 */
export const SEAL_LOCK = 7_346_281_905;
