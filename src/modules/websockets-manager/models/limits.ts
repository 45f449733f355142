/** Limits that are used in several places, such as a check and its description. */

export const MAX_MESSAGE = 64 * 1024;
export const MIN_TOKEN_SECONDS = 60;
/** The longest and the default lifetime of a token. */
export const MAX_TOKEN_SECONDS = 86_400;
/** How often each connection is checked for its heartbeat and the expiry of its token. */
export const BEAT_MS = 1_000;

export const MESSAGES_PER_STATEMENT = 1_000;
export const RECIPIENTS_PER_STATEMENT = 1_000;
