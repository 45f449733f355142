/** Limits shared by a check and its description. */
import { MIB } from '../../../common/base/amounts.js';

const HOUR_MS = 3_600_000;

export const MAX_SUBJECT = 998;
export const MAX_BODY = 5 * MIB;
/** Maximum bytes of content of a message with an available source. */
export const MAX_SOURCE_BYTES = MIB;
/** Maximum messages per call. */
export const MAX_MESSAGES = 100;
/** Maximum characters of all bodies in one call. */
export const MAX_BODIES = 2 * MAX_BODY;
export const MAX_FILE_NAME = 255;
export const MAX_ATTACHED_BYTES = 25 * MIB;
/** Maximum decoded bytes of an inline attachment. */
export const MAX_INLINE_BYTES = MIB;
/** Maximum rendered attachments per message, and the lifetime of their files. */
export const MAX_RENDERED = 5;
export const RENDERED_KEPT_MS = 30 * 24 * HOUR_MS;
export const MAX_CONTENT_ID = 64;
/** Maximum bytes of a report in reportBounce. */
export const MAX_REPORT = MIB;
/** Maximum characters of `lastError`. */
export const MAX_ERROR = 1_024;
/** Maximum time ahead for scheduling. */
export const MAX_AHEAD_MS = 30 * 24 * HOUR_MS;
/** Time after acceptance, or after sendAt, at which an unsent message is given up. */
export const GIVE_UP_AFTER_MS = 24 * HOUR_MS;
/** Offset of `dueAt` after the end of a message. */
export const KEEP_FINISHED_MS = 30 * 24 * HOUR_MS;

export const LINK_LIFETIME_MS = 24 * HOUR_MS;
/** Maximum links per mailbox and day, over all tenants. */
export const MAX_LINKS_TO_MAILBOX = 5;
/** Maximum links per tenant and day. */
export const MAX_LINKS_OF_TENANT = 100;

/** Soft bounces that suppress an address, and their period. */
export const MAX_SOFT_BOUNCES = 5;
export const SOFT_BOUNCES_MS = 7 * 24 * HOUR_MS;

/** Maximum suppressions per call. */
export const MAX_SUPPRESSIONS = 1_000;

/** Maximum bytes of a list name: it is part of the link in a header line, which has at most 998 octets (RFC 5322). */
export const MAX_LIST_BYTES = 256;
