/** Limits that several places share: a check and its description, or statements. */

export const MAX_MESSAGE = 64 * 1024;
export const MIN_TOKEN_SECONDS = 60;
/** Also the default. */
export const MAX_TOKEN_SECONDS = 86_400;
/** How long idempotency keys are kept. */
export const KEEP_KEYS_MS = 24 * 3_600_000;
/** Connections are looked at this often: for a heartbeat, and for the end of their token. */
export const BEAT_MS = 1_000;

export const MESSAGES_PER_STATEMENT = 1_000;
export const RECIPIENTS_PER_STATEMENT = 1_000;
