import type { Sender } from '../../../common/config/settings/mail-settings.js';
import { NO_KEY } from '../../../common/idempotency/idempotency-key.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { currentTrace } from '../../../common/tracing/spans.js';
import type { EmailModel, EmailRecipientModel } from '../../../generated/sqlite/models.js';
import { GIVE_UP_AFTER_MS, KEEP_FINISHED_MS } from '../models/limits.js';

export type EmailRow = EmailModel;
export type RecipientRow = EmailRecipientModel;

/** Tenant id of mails by the service itself. Not a UUID, so no tenant can have it. */
export const OWN_TENANT = 'platform-services';

/** Message as inserted at acceptance. */
export type NewEmail = Omit<EmailRow, 'status' | 'attempts' | 'lastError' | 'sentAt' | 'leaseHolder'>;
export type NewRecipient = Pick<RecipientRow, 'kind' | 'address' | 'name'>;

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
