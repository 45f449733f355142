/** Limits that a check and its description share. */
import { MIB } from '../../../common/base/amounts.js';

const HOUR_MS = 3_600_000;

export const MAX_SUBJECT = 998;
export const MAX_BODY = 5 * MIB;
/** The most bytes of content of a message whose source is shown. */
export const MAX_SOURCE_BYTES = MIB;
/** The most messages of one call. */
export const MAX_MESSAGES = 100;
/** The most characters of the bodies of all messages of one call. */
export const MAX_BODIES = 2 * MAX_BODY;
export const MAX_FILE_NAME = 255;
export const MAX_ATTACHED_BYTES = 25 * MIB;
/** The most bytes of an attachment that comes with the message, decoded. */
export const MAX_INLINE_BYTES = MIB;
/** The most attachments of a message that are rendered for it, and how long their files are kept. */
export const MAX_RENDERED = 5;
export const RENDERED_KEPT_MS = 30 * 24 * HOUR_MS;
export const MAX_CONTENT_ID = 64;
/** The largest report that reportBounce takes, in bytes. */
export const MAX_REPORT = MIB;
/** The most characters of `lastError`. */
export const MAX_ERROR = 1_024;
/** How far ahead a message can be scheduled. */
export const MAX_AHEAD_MS = 30 * 24 * HOUR_MS;
/** How long after its acceptance, or after the time it is scheduled for, a message is given up if it is not sent. */
export const GIVE_UP_AFTER_MS = 24 * HOUR_MS;
/** How much later than the end of a message its `dueAt` is set. */
export const KEEP_FINISHED_MS = 30 * 24 * HOUR_MS;

export const LINK_LIFETIME_MS = 24 * HOUR_MS;
/** How many links a mailbox can get per day, from all tenants together. */
export const MAX_LINKS_TO_MAILBOX = 5;
/** How many links a tenant can ask for per day, to all mailboxes together. */
export const MAX_LINKS_OF_TENANT = 100;

/** How many soft bounces of an address suppress it, and within which time. */
export const MAX_SOFT_BOUNCES = 5;
export const SOFT_BOUNCES_MS = 7 * 24 * HOUR_MS;

/** The most suppressions of one call. */
export const MAX_SUPPRESSIONS = 1_000;

/** The longest name of a list, in bytes: the link of each mail has it, and a header line has 998 (RFC 5322). */
export const MAX_LIST_BYTES = 256;
