/** Limits that a check and its description share. */
import { MIB } from '../../../common/validation/amounts.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const MAX_CONTENT_TYPE = 255;
/** The longest life of content, and the largest Int of GraphQL. */
export const MAX_LIFE_SECONDS = 2 ** 31 - 1;

/** Lives of signed URLs. */
export const MAX_URL_SECONDS = 604_800;
export const DEFAULT_DOWNLOAD_SECONDS = 3_600;
export const DEFAULT_UPLOAD_SECONDS = 30;
export const DEFAULT_PART_URL_SECONDS = 3_600;

/** Each part but the last has at least this. */
export const MIN_PART_BYTES = 5 * MIB;
export const MAX_PART_BYTES = 5 * 1024 * MIB;
/** Uploads in parts that are not completed are removed after this. */
export const KEEP_UPLOADS_MS = 7 * DAY_MS;
/** A slower transfer is ended. */
export const LEAST_BYTES_PER_SECOND = 1_024;

/** An unexpired file counts at least this, as the triggers of FileUsage say too. */
export const LEAST_BILLED_BYTES = 131_072;
/** Days of the longest history of what is stored. */
export const MAX_HISTORY_DAYS = 400;
export const DEFAULT_HISTORY_DAYS = 30;
/** Samples are taken by the hour; of older ones, one a day stays. */
export const KEEP_HOURLY_MS = 48 * HOUR_MS;
