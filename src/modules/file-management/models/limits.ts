/** Limits shared by checks and descriptions. */
import { MIB } from '../../../common/base/amounts.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Maximum lifetime of content, and of GraphQL's Int. */
export const MAX_LIFE_SECONDS = 2 ** 31 - 1;

/** Maximum lifetime of a signed URL. */
export const MAX_URL_SECONDS = 604_800;
export const DEFAULT_DOWNLOAD_SECONDS = 3_600;
export const DEFAULT_UPLOAD_SECONDS = 30;
export const DEFAULT_PART_URL_SECONDS = 3_600;

/** Minimum size of each part except the last. */
export const MIN_PART_BYTES = 5 * MIB;
export const MAX_PART_BYTES = 5 * 1024 * MIB;
/** Time after which an uncompleted multipart upload is removed. */
export const KEEP_UPLOADS_MS = 7 * DAY_MS;
/** Minimum average speed of a transfer; slower ones are aborted. */
export const LEAST_BYTES_PER_SECOND = 1_024;

/** Maximum content size, as in S3. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024 * MIB;
/** Maximum number of types in `accept`. */
export const MAX_ACCEPTED = 50;

/** Maximum number of files that deleteFiles deletes from a folder before it answers. */
export const MAX_DELETED_AT_ONCE = 1_000;
/** Maximum number of files that one call moves from a folder. */
export const MAX_MOVED_AT_ONCE = 1_000;

/** Maximum number of files of an archive, and of ids in its URL. */
export const MAX_ARCHIVED = 1_000;
export const MAX_ARCHIVED_IDS = 100;

/** Minimum billed size of an unexpired file. Must equal the number in the triggers of FileUsage. */
export const LEAST_BILLED_BYTES = 131_072;
/** Maximum period of the storage history, in days. */
export const MAX_HISTORY_DAYS = 400;
export const DEFAULT_HISTORY_DAYS = 30;
/** Period of hourly samples; older ones are thinned to one per day. */
export const KEEP_HOURLY_MS = 48 * HOUR_MS;

/** Length of index keys, in code points. */
export const KEY_LENGTH = 500;
