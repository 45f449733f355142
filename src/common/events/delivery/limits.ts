/** Webhooks of one tenant and service. */
export const MAX_WEBHOOKS = 20;
export const MAX_URL = 2_000;
export const MAX_DESCRIPTION = 256;
/** How long both secrets sign after a rotation, in seconds. */
export const MAX_OVERLAP_S = 604_800;
export const DEFAULT_OVERLAP_S = 86_400;
/** Events that one call sends again. */
export const MAX_REDELIVERED = 10_000;
/** Deliveries that one call confirms. */
export const MAX_CONFIRMED = 1_000;
/** Bytes of an answer that are kept. */
export const MAX_ANSWER_KEPT = 1_024;
/** How long a receiver may take. */
export const DELIVERY_TIMEOUT_MS = 15_000;
/** A webhook without a success for this long is switched off. */
export const DISABLE_AFTER_MS = 5 * 86_400_000;
