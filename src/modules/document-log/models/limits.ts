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
/** Log streams of a tenant. */
export const MAX_STREAMS = 5;
/** Headers of a stream's destination. */
export const MAX_HEADERS = 20;
export const MAX_HEADER_NAME = 128;
export const MAX_HEADER_VALUE = 4_096;
/** Characters of each other text of a stream's destination. */
export const MAX_ADDRESS = 2_000;
/** Records of a batch, and bytes from which no further record is added to it. */
export const MAX_BATCH = 500;
export const MAX_BATCH_BYTES = 1024 * 1024;
/** Most waiting records of a stream that are counted. */
export const MAX_WAITING = 1_000;
/** Characters of a site of Datadog, which is a name of DNS (RFC 1035). */
export const MAX_SITE = 253;
/** Characters of the name of a bucket, as S3 has them. */
export const BUCKET_NAME = { min: 3, max: 63 };
/** Characters of the beginning of the names of objects. */
export const MAX_PREFIX = 200;
