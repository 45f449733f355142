import type {
  EmailBounceKind,
  EmailDomainStatus,
  EmailIdentityStatus,
  EmailRecipientKind,
  EmailStatus,
  SuppressionReason,
} from '../../../clients/js/src/generated/email';
import { capital } from '../ui/faults';
import type { StatusKind } from '../ui/status';
import { type Address, isScheduled, type Row } from './mails';

interface Word {
  kind: StatusKind;
  word: string;
}

export const MAIL_WORDS: Readonly<Record<EmailStatus, Word>> = {
  QUEUED: { kind: 'wait', word: 'Queued' },
  SENT: { kind: 'good', word: 'Sent' },
  FAILED: { kind: 'bad', word: 'Failed' },
};

const CANCELLED = /cancelled by the application$/;

/** State of a mail, or of one recipient, in a word. The service calls a cancelled one failed too. */
export const wordOf = (status: EmailStatus, lastError: string | null): Word =>
  status === 'FAILED' && CANCELLED.test(lastError ?? '') ? { kind: 'none', word: 'Cancelled' } : MAIL_WORDS[status];

export const SCHEDULED: Word = { kind: 'info', word: 'Scheduled' };

/** State of a mail in a word; for a queued one, whether it is scheduled. */
export const wordOfMail = (mail: Pick<Row, 'status' | 'sendAt' | 'attempts' | 'lastError'>): Word | undefined =>
  isScheduled(mail) ? SCHEDULED : mail.status ? wordOf(mail.status, mail.lastError) : undefined;

export const SENDER_WORDS: Readonly<Record<EmailIdentityStatus, Word>> = {
  PENDING: { kind: 'wait', word: 'Pending' },
  VERIFIED: { kind: 'good', word: 'Verified' },
  FAILED: { kind: 'bad', word: 'Failed' },
};

export const DOMAIN_WORDS: Readonly<Record<EmailDomainStatus, Word>> = {
  PENDING: { kind: 'wait', word: 'Pending' },
  VERIFIED: { kind: 'good', word: 'Verified' },
  FAILED: { kind: 'bad', word: 'Failed' },
};

export const BOUNCE_WORDS: Readonly<Record<EmailBounceKind, Word & { about: string }>> = {
  DELAYED: { kind: 'wait', word: 'Delayed', about: 'Not delivered yet. The receiving server is still trying.' },
  SOFT: { kind: 'bad', word: 'Soft bounce', about: 'Not delivered. The problem may be temporary.' },
  HARD: { kind: 'bad', word: 'Hard bounce', about: 'Not delivered. The address doesn’t exist.' },
  COMPLAINT: { kind: 'bad', word: 'Complaint', about: 'Delivered, then reported as spam.' },
};

export const SUPPRESSION_WORDS: Readonly<Record<SuppressionReason, Word & { about: string }>> = {
  HARD_BOUNCE: { kind: 'bad', word: 'Hard bounce', about: 'The address doesn’t exist or keeps bouncing.' },
  COMPLAINT: { kind: 'bad', word: 'Complaint', about: 'The recipient reported an email as spam.' },
  UNSUBSCRIBED: { kind: 'none', word: 'Unsubscribed', about: 'The recipient unsubscribed.' },
  MANUAL: { kind: 'none', word: 'Manual', about: 'Added by the API or in Studio.' },
};

export const RECIPIENT_WORDS: Readonly<Record<EmailRecipientKind, string>> = { TO: 'To', CC: 'Cc', BCC: 'Bcc' };

export const NO_SUBJECT = '(no subject)';

/** Formats an address like mail programs. */
export const written = ({ name, address }: Partial<Address>): string => (name ? `${name} <${address}>` : (address ?? ''));

/** Returns the first of several addresses, and the number of others. */
export function writtenBriefly(addresses: readonly Address[] | null): string {
  const [first, ...others] = addresses ?? [];
  if (!first) return '';
  return `${first.name || first.address}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

const SUPPRESSED = /: not tried, since it is suppressed \((HARD_BOUNCE|COMPLAINT|UNSUBSCRIBED|MANUAL)\)$/;

/** Returns whether a mail was not attempted, since its only recipient is suppressed. */
export const isSuppressed = (lastError: string | null): boolean => SUPPRESSED.test(lastError ?? '');

/** Said of every reply, which the reader sees by its code. */
const RESPONDED = /(^|: )the mail server responded: /i;

/** Returns why a mail did not reach an address, to stand beside it. */
export function undeliveredReason(lastError: string, address: string | null | undefined): string {
  const suppressed = SUPPRESSED.exec(lastError)?.[1];
  if (suppressed) return `Suppressed: ${SUPPRESSION_WORDS[suppressed as SuppressionReason].word.toLowerCase()}`;
  const prefix = `${address}: `;
  const reason = lastError.startsWith(prefix) ? lastError.slice(prefix.length) : lastError;
  return capital(reason.replace(RESPONDED, '$1'));
}
