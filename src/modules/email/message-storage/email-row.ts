import type { Sender } from '../../../common/config/settings/mail-settings.js';
import { NO_KEY } from '../../../common/idempotency/idempotency-key.js';
import { Columns, type RowOf } from '../../../common/database/sql/columns.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { currentTrace } from '../../../common/tracing/spans.js';
import type { EmailModel, EmailRecipientModel } from '../../../generated/sqlite/models.js';
import { GIVE_UP_AFTER_MS, KEEP_FINISHED_MS } from '../models/limits.js';
import type { EmailBounce, EmailBounceKind } from '../models/bounce.model.js';

export type EmailRow = EmailModel;
export type RecipientRow = EmailRecipientModel;

/** Tenant id of mails by the service itself. Not a UUID, so no tenant can have it. */
export const OWN_TENANT = 'platform-services';

const EMAIL = new Columns<EmailRow>('Email', {
  id: 'key',
  tenantId: 'key',
  messageId: 'key',
  fromAddress: 'key',
  fromName: 'text',
  replyToAddress: 'key',
  replyToName: 'text',
  subject: 'text',
  html: 'long text',
  text: 'long text',
  status: { enum: 'StoredEmailStatus' },
  attempts: 'integer',
  lastError: 'text',
  createdAt: 'time',
  sentAt: 'time',
  sendAt: 'time',
  giveUpAt: 'time',
  dueAt: 'time',
  leaseHolder: 'key',
  idempotencyKey: 'key',
  inputHash: 'key',
  hasAttachments: 'boolean',
  traceContext: 'key',
  headers: 'long text',
  tags: 'text',
  list: 'text',
  unsubscribeUrl: 'text',
  ignoredReasons: 'text',
});

/** Columns of a message that callers see. */
export const LISTED_EMAIL = EMAIL.without(
  'tenantId',
  'replyToAddress',
  'replyToName',
  'html',
  'text',
  'giveUpAt',
  'idempotencyKey',
  'inputHash',
  'hasAttachments',
  'traceContext',
  'headers',
  'unsubscribeUrl',
  'ignoredReasons',
);
export type ListedEmail = RowOf<typeof LISTED_EMAIL>;

/** Columns of a message as it is inserted at acceptance. */
export const NEW_EMAIL = EMAIL.without('status', 'attempts', 'lastError', 'sentAt', 'leaseHolder');
export type NewEmail = RowOf<typeof NEW_EMAIL>;

/** Columns of a recipient as it is inserted with its message. */
export const NEW_RECIPIENT = new Columns<Pick<RecipientRow, 'emailId' | 'position' | 'tenantId' | 'kind' | 'address' | 'name'>>(
  'EmailRecipient',
  { emailId: 'key', position: 'integer', tenantId: 'key', kind: { enum: 'EmailRecipientKind' }, address: 'key', name: 'text' },
);
export type NewRecipient = Omit<RowOf<typeof NEW_RECIPIENT>, 'emailId' | 'position' | 'tenantId'>;

/** Creates a message without content, due now, with a Message-ID in the domain of this service's address. */
export function newEmail(tenantId: string, from: Sender, own: Sender): NewEmail {
  const id = uuidv7();
  const createdAt = new Date(timeOfId(id));
  return {
    id,
    tenantId,
    messageId: `<${id}@${own.address.split('@')[1]}>`,
    fromAddress: from.address,
    fromName: from.name,
    replyToAddress: null,
    replyToName: null,
    subject: '',
    html: null,
    text: null,
    createdAt,
    giveUpAt: new Date(createdAt.getTime() + GIVE_UP_AFTER_MS),
    dueAt: new Date(), // not the time of the id, which can be in the future after a clock adjustment
    sendAt: null,
    ...NO_KEY,
    hasAttachments: false,
    traceContext: currentTrace() ?? null,
    headers: null,
    tags: null,
    list: null,
    unsubscribeUrl: null,
    ignoredReasons: null,
  };
}

/** Returns the columns of a scheduled message. Attempts start at that time. */
export const scheduled = (sendAt: Date) => ({ sendAt, dueAt: sendAt, giveUpAt: new Date(sendAt.getTime() + GIVE_UP_AFTER_MS) });

/**
 * Returns the columns of a finished message. Clears the bodies and headers, which are now in "EmailContent", the trace and the unsubscribe
 * link.
 */
export function finished(status: 'SENT' | 'FAILED', lastError: string | null) {
  const now = Date.now();
  const sentAt = status === 'SENT' ? new Date(now) : null;
  return {
    status,
    lastError,
    sentAt,
    dueAt: new Date(now + KEEP_FINISHED_MS),
    leaseHolder: null,
    html: null,
    text: null,
    traceContext: null,
    headers: null,
    unsubscribeUrl: null,
  };
}

/** Header or tag of a message. */
export interface Pair {
  name: string;
  value: string;
}

/** Serializes headers or tags for a row, in order; null if empty. */
export function storedPairs(pairs: Pair[] | null | undefined): string | null {
  return pairs && pairs.length > 0 ? JSON.stringify(pairs.map(({ name, value }) => [name, value])) : null;
}

/** Parses headers or tags of a row. */
export function pairsOf(stored: string | null): Pair[] {
  if (stored === null) return [];
  return (JSON.parse(stored) as [string, string][]).map(([name, value]) => ({ name, value }));
}

/** Columns of a recipient that have its bounce. */
export const BOUNCE_COLUMNS = { bouncedAt: true, bounceKind: true, bounceCode: true, bounceDiagnostic: true } as const;
export type BounceColumns = Pick<RecipientRow, keyof typeof BOUNCE_COLUMNS>;

/** Converts the bounce of a recipient for callers; null without one. */
export function toBounce({ bouncedAt, bounceKind, bounceCode, bounceDiagnostic }: BounceColumns): EmailBounce | null {
  if (bouncedAt === null) return null;
  return { at: bouncedAt, kind: bounceKind as EmailBounceKind, code: bounceCode, diagnostic: bounceDiagnostic };
}
