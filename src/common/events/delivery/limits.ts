import { MIB } from '../../base/amounts.js';

/** Maximum number of webhooks of one tenant and service. */
export const MAX_WEBHOOKS = 20;
export const MAX_URL = 2_000;
export const MAX_DESCRIPTION = 256;
/** Maximum time during which both secrets sign after a rotation, in seconds. */
export const MAX_OVERLAP_S = 604_800;
export const DEFAULT_OVERLAP_S = 86_400;
/** Maximum number of replaced secrets that sign besides the current one. */
export const MAX_FORMER_SECRETS = 5;
/** Maximum number of events in one redelivery: by time, and by ids. */
export const MAX_REDELIVERED = 10_000;
export const MAX_REDELIVERED_IDS = 100;
/** Window of redelivery. In each, a webhook gets one redelivery of any size, and others with few events in total. */
export const REDELIVER_WINDOW_MS = 300_000;
export const FEW_REDELIVERED = 100;
/** Rate of redelivered events of a tenant to one origin per second, and bytes of a tenant per day. */
export const REDELIVERED_PER_SECOND = 20;
export const MAX_REDELIVERED_BYTES = 100 * MIB;
/** Number of queued events up to which the usage of a tenant is exact. */
export const MAX_EVENTS_COUNTED = 100_000;
/** Number of queued events up to which that of a webhook is exact, and of its latest events for the rate of success. */
export const MAX_WAITING = 1_000;
export const LATEST_EVENTS = 100;
/** Maximum number of deliveries confirmed by one call. */
export const MAX_CONFIRMED = 1_000;
/** Stored bytes of an answer. */
export const MAX_ANSWER_KEPT = 1_024;
/** Time limit of a receiver. */
export const DELIVERY_TIMEOUT_MS = 15_000;
/** Time without a success after which a webhook is switched off. */
export const DISABLE_AFTER_MS = 5 * 86_400_000;
