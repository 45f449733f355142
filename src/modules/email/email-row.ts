import type { Sender } from '../../common/config/mail-settings.js';
import { timeOfId, uuidv7 } from '../../common/ids/ids.js';
import type { EmailModel, EmailRecipientModel } from '../../generated/sqlite/models.js';
import { type EmailAddress, type EmailMessage, EmailRecipientKind, type EmailStatus } from './models/email.model.js';

export type EmailRow = EmailModel;
export type RecipientRow = EmailRecipientModel;

/** The tenant of the service's own mails. Ids of tenants are UUIDs, so no caller has this one. */
export const OWN_TENANT = 'platform-services';

/** What is written of a message at its acceptance. */
export type NewEmail = Omit<EmailRow, 'status' | 'attempts' | 'lastError' | 'sentAt' | 'leaseHolder'>;
export type NewRecipient = Pick<RecipientRow, 'kind' | 'address' | 'name'>;

/** What callers are shown of a message. */
export type ShownEmail = Pick<
  EmailRow,
  'id' | 'fromAddress' | 'fromName' | 'subject' | 'status' | 'attempts' | 'lastError' | 'createdAt' | 'sentAt'
>;
export type ShownRecipient = Pick<RecipientRow, 'emailId' | 'kind' | 'address' | 'name' | 'status' | 'lastError' | 'attempts'>;

const KINDS = { to: EmailRecipientKind.TO, cc: EmailRecipientKind.CC, bcc: EmailRecipientKind.BCC };

const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/** A message without content, due now. Its Message-ID is of the domain that all our mails come from. */
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
    dueAt: createdAt,
    idempotencyKey: null,
    inputHash: null,
    hasAttachments: false,
  };
}

export function toMessage(row: ShownEmail, recipients: ShownRecipient[]): EmailMessage {
  const of = (kind: RecipientRow['kind']): EmailAddress[] =>
    recipients.filter((one) => one.kind === kind).map(({ address, name }) => ({ address, name }));
  const { fromAddress, fromName, status, ...shown } = row;
  return {
    ...shown,
    status: status as EmailStatus,
    from: { address: fromAddress, name: fromName },
    to: of('to'),
    cc: of('cc'),
    bcc: of('bcc'),
    recipients: recipients.map(({ address, name, kind, lastError, ...one }) => ({
      address,
      name,
      kind: KINDS[kind],
      status: one.status as EmailStatus,
      attempts: one.attempts ?? row.attempts,
      lastError,
    })),
  };
}
