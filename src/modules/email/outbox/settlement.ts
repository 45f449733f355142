import type { ClaimedEmail } from './outbox-claim.queries.js';
import type { RecipientRow } from '../message-storage/email-row.js';
import type { Refusal } from '../transport/mail-transport.js';
import { MAX_ERROR } from '../models/limits.js';
import { backOffMs } from '../../../common/jobs/back-off.js';

const SECOND_MS = 1_000;
const FIRST_PAUSES_MS = [10 * SECOND_MS, 30 * SECOND_MS, 60 * SECOND_MS];
const LONGEST_PAUSE_MS = 30 * 60 * SECOND_MS;
/** By which fraction retries are spread, so that mails that failed together are not retried together. */
const SPREAD = 0.2;
/** No mail that was tried waits longer for the next attempt. */
export const LONGEST_WAIT_MS = LONGEST_PAUSE_MS * (1 + SPREAD);

/** The outcome of an attempt for one recipient. */
interface SettledRecipient {
  position: number;
  status: RecipientRow['status'];
  lastError: string | null;
  /** The number of attempts made, once the recipient is SENT or FAILED. */
  attempts: number | null;
  /** The reason for which it was not tried. */
  suppressed: string | null;
}

/** The outcome of an attempt to send a message. */
export interface Settlement {
  email: ClaimedEmail;
  recipients: SettledRecipient[];
  status: RecipientRow['status'];
  lastError: string | null;
  /** When to try again; null once the message is finished. */
  nextAt: Date | null;
  /** Recipients whose addresses are not there, as the mail server said. */
  gone: Refusal[];
  /** Whether the server would have refused every other mail too. */
  isServerDown?: boolean;
}

/** The pause after the nth attempt: 10 s, 30 s, 1 min, 2 min, 4 min … up to 30 min, each up to a fifth longer or shorter. */
function pauseMs(attempts: number, random = Math.random()): number {
  const bounds = { first: FIRST_PAUSES_MS.at(-1)!, longest: LONGEST_PAUSE_MS };
  const pause = FIRST_PAUSES_MS[attempts - 1] ?? backOffMs(attempts - FIRST_PAUSES_MS.length, bounds);
  return Math.round(pause * (1 - SPREAD + 2 * SPREAD * random));
}

/**
 * Decides for each recipient whether this attempt was the last, and when to retry the message. A finished message is SENT if any
 * recipient got it and FAILED if none did.
 */
export function settlementOf(email: ClaimedEmail, before: RecipientRow[], refusals: Refusal[], now: number): Settlement {
  const refused = new Map(refusals.map((refusal) => [refusal.address, refusal]));
  const isLast = now >= email.giveUpAtMs;
  const recipients = before.map(({ position, address, status, lastError, attempts, suppressed }): SettledRecipient => {
    if (status !== 'QUEUED') return { position, status, lastError, attempts, suppressed };
    const refusal = refused.get(address);
    if (!refusal) return { position, status: 'SENT', lastError: null, attempts: email.attempts, suppressed: null };
    if (refusal.suppressed) {
      const tried = email.attempts - 1;
      return { position, status: 'FAILED', lastError: refusal.message, attempts: tried, suppressed: refusal.suppressed };
    }
    if (refusal.isPermanent || isLast)
      return { position, status: 'FAILED', lastError: refusal.message, attempts: email.attempts, suppressed: null };
    return { position, status, lastError: refusal.message, attempts: null, suppressed: null };
  });
  const has = (status: RecipientRow['status']) => recipients.some((one) => one.status === status);
  const status = has('QUEUED') ? 'QUEUED' : has('SENT') ? 'SENT' : 'FAILED';
  const lastError = errorOf(recipients);
  const nextAt = status === 'QUEUED' ? new Date(Math.min(now + pauseMs(email.attempts), email.giveUpAtMs)) : null;
  return { email, recipients, status, lastError, nextAt, gone: refusals.filter(({ isGone }) => isGone) };
}

/** Returns the distinct errors of the recipients that did not get the message, or null if there are none. */
export function errorOf(recipients: Pick<SettledRecipient, 'status' | 'lastError'>[]): string | null {
  const errors = new Set(recipients.flatMap(({ status, lastError }) => (status !== 'SENT' && lastError ? [lastError] : [])));
  return errors.size > 0 ? [...errors].join('; ').slice(0, MAX_ERROR).toWellFormed() : null;
}
