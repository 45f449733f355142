import { type EmailAddress, type EmailMessage, EmailRecipientKind, type EmailStatus } from '../models/email.model.js';
import type { EmailContent } from '../models/content.model.js';
import type { SuppressionReason } from '../models/suppression.model.js';
import { BOUNCE_COLUMNS, type ListedEmail, pairsOf, type RecipientRow, toBounce } from './email-row.js';

/** Columns of a recipient that callers see. */
export const LISTED_RECIPIENT = {
  emailId: true,
  kind: true,
  address: true,
  name: true,
  status: true,
  lastError: true,
  attempts: true,
  suppressed: true,
  ...BOUNCE_COLUMNS,
} as const;
export type ListedRecipient = Pick<RecipientRow, keyof typeof LISTED_RECIPIENT>;

const KINDS = { to: EmailRecipientKind.TO, cc: EmailRecipientKind.CC, bcc: EmailRecipientKind.BCC };

type ContentOf = (id: string) => Promise<EmailContent | null>;

/** Converts a message and its recipients for callers. Loads the content on request only. */
export function toMessage(row: ListedEmail, recipients: ListedRecipient[], contentOf: ContentOf): EmailMessage {
  const ofKind = (kind: RecipientRow['kind']): EmailAddress[] =>
    recipients.filter((one) => one.kind === kind).map(({ address, name }) => ({ address, name }));
  const { id, messageId, fromAddress, fromName, subject, status, attempts, lastError, createdAt, sentAt, sendAt, list } = row;
  const { dueAt, leaseHolder } = row;
  // During an attempt, dueAt is the expiry of the lease.
  const isBeingSent = leaseHolder !== null && dueAt > new Date();
  return {
    id,
    messageId,
    subject,
    attempts,
    lastError,
    createdAt,
    sentAt,
    sendAt,
    list,
    status: status as EmailStatus,
    nextAttemptAt: status === 'QUEUED' && !isBeingSent ? dueAt : null,
    from: { address: fromAddress, name: fromName },
    to: ofKind('to'),
    cc: ofKind('cc'),
    bcc: ofKind('bcc'),
    recipients: recipients.map(({ address, name, kind, lastError, ...one }) => ({
      address,
      name,
      kind: KINDS[kind],
      status: one.status as EmailStatus,
      attempts: one.attempts ?? attempts,
      lastError,
      bounce: toBounce(one),
      suppressed: one.suppressed as SuppressionReason | null,
    })),
    tags: pairsOf(row.tags),
    loadContent: () => contentOf(row.id),
  };
}

interface Senders {
  fromAddress: string;
  fromName: string | null;
  replyToAddress: string | null;
  replyToName: string | null;
}

/** Returns the sender and recipients of a stored mail for its headers, without bcc. */
export function peopleOf<R extends { kind: string }>(
  { fromAddress, fromName, replyToAddress, replyToName }: Senders,
  recipients: readonly R[],
) {
  return {
    from: { address: fromAddress, name: fromName },
    replyTo: replyToAddress === null ? null : { address: replyToAddress, name: replyToName },
    to: recipients.filter(({ kind }) => kind === 'to'),
    cc: recipients.filter(({ kind }) => kind === 'cc'),
  };
}
