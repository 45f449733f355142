import type { ClaimedEmail } from './outbox-claim.queries.js';
import type { RecipientRow } from '../message-storage/email-row.js';
import type { Refusal } from '../transport/mail-transport.js';
import { MAX_ERROR } from '../models/limits.js';
import { backOffMs } from '../../../common/jobs/back-off.js';

const SECOND_MS = 1_000;
const FIRST_PAUSES_MS = [10 * SECOND_MS, 30 * SECOND_MS, 60 * SECOND_MS];
const LONGEST_PAUSE_MS = 30 * 60 * SECOND_MS;
/** Jitter of retries, as a fraction, to spread mails that failed together. */
const SPREAD = 0.2;
/** Upper bound of the wait between attempts. */
export const LONGEST_WAIT_MS = LONGEST_PAUSE_MS * (1 + SPREAD);

/** Outcome of an attempt for one recipient. */
interface SettledRecipient {
  position: number;
  status: RecipientRow['status'];
  lastError: string | null;
  /** Number of attempts, once SENT or FAILED. */
  attempts: number | null;
  /** Suppression reason, if it was not tried. */
  suppressed: string | null;
}

/** Outcome of an attempt to send a message. */
export interface Settlement {
  email: ClaimedEmail;
  recipients: SettledRecipient[];
  status: RecipientRow['status'];
  lastError: string | null;
  /** Time of the next attempt; null once finished. */
  nextAt: Date | null;
  /** Recipients with nonexistent addresses, according to the mail server. */
  gone: Refusal[];
  /** True if the server would have rejected every other mail too. */
  isServerDown?: boolean;
}

/** Returns the pause after the nth attempt: 10 s, 30 s, 1 min, 2 min, 4 min … up to 30 min, each up to a fifth longer or shorter. */
function pauseMs(attempts: number, random = Math.random()): number {
  const bounds = { first: FIRST_PAUSES_MS.at(-1)!, longest: LONGEST_PAUSE_MS };
  const pause = FIRST_PAUSES_MS[attempts - 1] ?? backOffMs(attempts - FIRST_PAUSES_MS.length, bounds);
  return Math.round(pause * (1 - SPREAD + 2 * SPREAD * random));
}

/**
 * Determines the outcome per recipient, and the time of the next attempt. A finished message is SENT if any recipient received it, else
 * FAILED.
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

/** Returns the distinct errors of recipients not reached, or null. */
export function errorOf(recipients: Pick<SettledRecipient, 'status' | 'lastError'>[]): string | null {
  const errors = new Set(recipients.flatMap(({ status, lastError }) => (status !== 'SENT' && lastError ? [lastError] : [])));
  return errors.size > 0 ? [...errors].join('; ').slice(0, MAX_ERROR).toWellFormed() : null;
}
