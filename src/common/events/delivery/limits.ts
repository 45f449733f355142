import { MIB } from '../../base/amounts.js';

/** Webhooks of one tenant and service. */
export const MAX_WEBHOOKS = 20;
export const MAX_URL = 2_000;
export const MAX_DESCRIPTION = 256;
/** How long both secrets sign after a rotation, in seconds. */
export const MAX_OVERLAP_S = 604_800;
export const DEFAULT_OVERLAP_S = 86_400;
/** Replaced secrets of a webhook that sign besides its present one. */
export const MAX_FORMER_SECRETS = 5;
/** Events that one redeliver sends, by time and by ids. */
export const MAX_REDELIVERED = 10_000;
export const MAX_REDELIVERED_IDS = 100;
/** In each window, a webhook gets one redeliver of any size, and others as long as all together send few events. */
export const REDELIVER_WINDOW_MS = 300_000;
export const FEW_REDELIVERED = 100;
/** Redelivered events of a tenant to one origin in a second, and bytes of a tenant in a day. */
export const REDELIVERED_PER_SECOND = 20;
export const MAX_REDELIVERED_BYTES = 100 * MIB;
/** Waiting events of a tenant that usage counts exactly. */
export const MAX_EVENTS_COUNTED = 100_000;
/** Deliveries that one call confirms. */
export const MAX_CONFIRMED = 1_000;
/** Bytes of an answer that are kept. */
export const MAX_ANSWER_KEPT = 1_024;
/** How long a receiver may take. */
export const DELIVERY_TIMEOUT_MS = 15_000;
/** A webhook without a success for this long is switched off. */
export const DISABLE_AFTER_MS = 5 * 86_400_000;
