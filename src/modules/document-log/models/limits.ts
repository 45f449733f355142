/** Limits that a check and its description share. */

/** Characters of each form of a value. */
export const MAX_VALUE = 65_536;
/** Languages of a name. */
export const MAX_LANGUAGES = 100;
/** Records that a page of order WRITTEN looks at, with a filter. */
export const MAX_EXAMINED = 5_000;
/** Records and edits that one verification recomputes. */
export const MAX_VERIFIED = 100_000;
