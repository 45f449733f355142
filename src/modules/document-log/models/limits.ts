/** Limits that a check and its description share. */

/** Characters of each form of a value. */
export const MAX_VALUE = 65_536;
/** Languages of a name. */
export const MAX_LANGUAGES = 100;
/** Records that a page of order WRITTEN looks at, with a filter. */
export const MAX_EXAMINED = 5_000;
/** Records and edits that one verification recomputes. */
export const MAX_VERIFIED = 100_000;
/** Bytes of the canonical JSON of a leaf: that of a record whose texts are as long as they may be. */
export const MAX_LEAF_BYTES = 25 * 1024;
/** Bytes of the canonical JSON of the members that can name a person. */
export const MAX_PERSONAL_BYTES = 5 * 1024 * 1024;
