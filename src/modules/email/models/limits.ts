/** Limits that a check and its description share. */
import { MIB } from '../../../common/validation/amounts.js';

const HOUR_MS = 3_600_000;

export const MAX_SUBJECT = 998;
export const MAX_BODY = 5 * MIB;
export const MAX_FILE_NAME = 255;
export const MAX_ATTACHED_BYTES = 25 * MIB;
/** Characters of `lastError`. */
export const MAX_ERROR = 1_024;
/** How long idempotency keys are kept. */
export const KEEP_KEYS_MS = 24 * HOUR_MS;
/** A message that is not sent by then is given up. */
export const GIVE_UP_AFTER_MS = 24 * HOUR_MS;
/** `dueAt` of a finished message is this much later than its end. */
export const KEEP_FINISHED_MS = 30 * 24 * HOUR_MS;

export const LINK_LIFETIME_MS = 24 * HOUR_MS;
/** Links a day to one mailbox, over all tenants. */
export const MAX_LINKS_TO_MAILBOX = 5;
/** Links a day of one tenant, to any mailbox. */
export const MAX_LINKS_OF_TENANT = 100;
