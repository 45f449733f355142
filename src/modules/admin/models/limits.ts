/** Limits that a check and its description share. */

/** How long a replaced key works beside the new one. */
export const MAX_OVERLAP_SECONDS = 30 * 86_400;
export const DEFAULT_OVERLAP_SECONDS = 86_400;
/** Erasures of persons of one tenant that have not ended. */
export const MAX_RUNNING_ERASURES = 1_000;
