import type { ClaimedEmail } from './outbox.queries.js';
import type { RecipientRow } from './email-row.js';
import type { Refusal } from './transport/mail-transport.js';

const SECOND_MS = 1_000;
const FIRST_PAUSES_MS = [10 * SECOND_MS, 30 * SECOND_MS, 60 * SECOND_MS];
const LONGEST_PAUSE_MS = 30 * 60 * SECOND_MS;
/** So that what failed together does not come again together. */
const SPREAD = 0.2;
const MAX_ERROR = 1_024;

/** What an attempt made of one recipient. */
interface SettledRecipient {
  position: number;
  status: RecipientRow['status'];
  lastError: string | null;
  /** The number of attempts, once the recipient is SENT or FAILED. */
  attempts: number | null;
}

/** What an attempt made of a message. */
export interface Settlement {
  email: ClaimedEmail;
  recipients: SettledRecipient[];
  status: RecipientRow['status'];
  lastError: string | null;
  /** When to try again; nothing when it is finished. */
  nextAt: Date | null;
  /** Whether it was not the message's turn to fail: no other would have been taken. */
  isServerDown?: boolean;
}

/** How long to wait after so many attempts: 10 s, 30 s, 1 min, 2, 4 … 30 min, each a fifth more or less. */
function pauseMs(attempts: number, random = Math.random()): number {
  const doubled = FIRST_PAUSES_MS.at(-1)! * 2 ** Math.min(Math.max(0, attempts - FIRST_PAUSES_MS.length), 10);
  const pause = FIRST_PAUSES_MS[attempts - 1] ?? Math.min(doubled, LONGEST_PAUSE_MS);
  return Math.round(pause * (1 - SPREAD + 2 * SPREAD * random));
}

/**
 * Decides what becomes of a message whose attempt is over: for whom it is done, for whom it is tried again and when. It is
 * SENT when anybody got it and FAILED when nobody did.
 */
export function settled(email: ClaimedEmail, before: RecipientRow[], refusals: Refusal[], now: number): Settlement {
  const refused = new Map(refusals.map((refusal) => [refusal.address, refusal]));
  const isLast = now >= email.giveUpAtMs;
  const recipients = before.map(({ position, address, status, lastError, attempts }): SettledRecipient => {
    if (status !== 'QUEUED') return { position, status, lastError, attempts };
    const refusal = refused.get(address);
    if (!refusal) return { position, status: 'SENT', lastError: null, attempts: email.attempts };
    if (refusal.isPermanent || isLast)
      return { position, status: 'FAILED', lastError: refusal.message, attempts: email.attempts };
    return { position, status, lastError: refusal.message, attempts: null };
  });
  const has = (status: RecipientRow['status']) => recipients.some((one) => one.status === status);
  const status = has('QUEUED') ? 'QUEUED' : has('SENT') ? 'SENT' : 'FAILED';
  const errors = new Set(recipients.flatMap((one) => (one.status !== 'SENT' && one.lastError ? [one.lastError] : [])));
  const lastError = errors.size > 0 ? [...errors].join('; ').slice(0, MAX_ERROR).toWellFormed() : null;
  const nextAt = status === 'QUEUED' ? new Date(Math.min(now + pauseMs(email.attempts), email.giveUpAtMs)) : null;
  return { email, recipients, status, lastError, nextAt };
}
