/** Limits that a check and its description share. */

/** How long a replaced key can stay valid beside the new one. */
export const MAX_OVERLAP_SECONDS = 30 * 86_400;
export const DEFAULT_OVERLAP_SECONDS = 86_400;
/** How many erasures of persons that have not ended a tenant can have. */
export const MAX_RUNNING_ERASURES = 1_000;
