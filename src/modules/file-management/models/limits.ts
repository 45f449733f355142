/** Limits that a check and its description share. */
import { MIB } from '../../../common/base/amounts.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The longest lifetime of content, and the largest Int of GraphQL. */
export const MAX_LIFE_SECONDS = 2 ** 31 - 1;

/** The longest lifetime of a signed URL. */
export const MAX_URL_SECONDS = 604_800;
export const DEFAULT_DOWNLOAD_SECONDS = 3_600;
export const DEFAULT_UPLOAD_SECONDS = 30;
export const DEFAULT_PART_URL_SECONDS = 3_600;

/** The least bytes of each part but the last. */
export const MIN_PART_BYTES = 5 * MIB;
export const MAX_PART_BYTES = 5 * 1024 * MIB;
/** How long after its start an uncompleted multipart upload is removed. */
export const KEEP_UPLOADS_MS = 7 * DAY_MS;
/** A transfer that is slower than this is ended. */
export const LEAST_BYTES_PER_SECOND = 1_024;

/** The largest content that a file can have by a rule of its own, as in S3. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024 * MIB;
/** The most types that a file accepts. */
export const MAX_ACCEPTED = 50;

/** The most files of a folder that are deleted before deleteFiles answers. */
export const MAX_DELETED_AT_ONCE = 1_000;
/** The most files of a folder that one call moves. */
export const MAX_MOVED_AT_ONCE = 1_000;

/** The most files of an archive, and the most that are named by their ids: these stand in its address. */
export const MAX_ARCHIVED = 1_000;
export const MAX_ARCHIVED_IDS = 100;

/** How many bytes an unexpired file is billed as at least. The triggers of FileUsage have the same number. */
export const LEAST_BILLED_BYTES = 131_072;
/** The longest history of stored bytes and files, in days. */
export const MAX_HISTORY_DAYS = 400;
export const DEFAULT_HISTORY_DAYS = 30;
/** How long hourly samples are kept; of older samples one a day is kept. */
export const KEEP_HOURLY_MS = 48 * HOUR_MS;

/** Length of the keys that indexes hold, in code points. */
export const KEY_LENGTH = 500;
