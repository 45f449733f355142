/** Limits used in several places, such as a check and its description. */

export const MAX_MESSAGE = 64 * 1024;
export const MIN_TOKEN_SECONDS = 60;
/** Maximum and default lifetime of a token. */
export const MAX_TOKEN_SECONDS = 86_400;
/** Retention of what binds issued tokens, longer than the lifetime of any token. */
export const TOKEN_LIFETIME_MS = (MAX_TOKEN_SECONDS + 60) * 1_000;
/** Maximum messages of a topic sent again to a new connection, and their maximum age. */
export const MAX_REWIND_MESSAGES = 100;
export const MAX_REWIND_SECONDS = 86_400;
/** Maximum messages sent again over all topics. */
export const MAX_REWOUND = 1_000;
/** Newest messages searched for those of a recipient, and for those of patterns. */
export const MAX_SEARCHED = 2_000;
/** Check interval for the heartbeat and token expiry of each connection. */
export const BEAT_MS = 1_000;

/** Time that a message stays in an inbox unless the push sets another expiry. */
export const INBOX_DAYS = 30;
/** Largest number of unread messages that is counted. */
export const MAX_UNREAD = 1_000;
/** Maximum ids of one `markMessages`. */
export const MAX_MARKED = 1_000;

export const MESSAGES_PER_STATEMENT = 1_000;
export const RECIPIENTS_PER_STATEMENT = 1_000;

/** Interval at which each node announces itself to the others. */
export const ANNOUNCE_MS = 500;
/** Announcements after which a node that sent none is silent, and the time within which its recipients have left their topics. */
export const SILENT_ROUNDS = 3;
export const REMOVED_MS = (SILENT_ROUNDS + 1) * ANNOUNCE_MS;

/** Path of event streams, behind the base of WebSocket URLs. */
export const EVENTS_PATH = '/events';
/** Interval of the comments on a silent event stream. */
export const STREAM_HEARTBEAT_SECONDS = 15;
