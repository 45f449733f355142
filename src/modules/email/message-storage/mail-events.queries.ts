import type { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import type { NewEvent } from '../../../common/events/outbox/event.js';
import type { AllTenantsTransaction } from '../../../common/database/database.js';
import type { MAIL_EVENTS } from '../models/events.js';
import type { EmailMessage } from '../models/email.model.js';
import { toMessage } from './email-message.js';

const SERVICE = 'email';

/** Message fields in events: all but the content. */
type Shown = Omit<EmailMessage, 'loadContent'>;

/** Events of finished messages. */
const EVENT_OF = { SENT: 'MESSAGE_SENT', FAILED: 'MESSAGE_FAILED' } as const satisfies Record<string, keyof typeof MAIL_EVENTS>;

/** Returns true if a tenant is subscribed to the events of finished messages. */
export const wantsMailEvents = (outbox: Pick<EventOutbox, 'wants'>, tenantId: string): boolean =>
  outbox.wants(tenantId, SERVICE, ...Object.values(EVENT_OF));

/** Builds the events of messages finished in this transaction. */
export async function mailEvents(transaction: AllTenantsTransaction, ids: string[]): Promise<NewEvent[]> {
  return (await shownMessages(transaction, ids)).flatMap(({ tenantId, message }): NewEvent[] => {
    const { id, status } = message;
    return status === 'QUEUED' ? [] : [{ tenantId, service: SERVICE, type: EVENT_OF[status], subject: id, data: message }];
  });
}

/** Builds the events of recipients: the message, and the position of its recipient. */
export async function recipientEvents(
  transaction: AllTenantsTransaction,
  type: keyof typeof MAIL_EVENTS,
  { emailId, address }: { emailId: string; address: string },
): Promise<NewEvent[]> {
  return (await shownMessages(transaction, [emailId])).map(({ tenantId, message }) => {
    const recipient = message.recipients.find((one) => one.address === address);
    return { tenantId, service: SERVICE, type, subject: emailId, data: { ...message, recipient } };
  });
}

/** Reads messages for events. */
async function shownMessages(transaction: AllTenantsTransaction, ids: string[]): Promise<{ tenantId: string; message: Shown }[]> {
  if (ids.length === 0) return [];
  const emails = await transaction.email.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
  const recipients = await transaction.emailRecipient.findMany({
    where: { emailId: { in: ids } },
    orderBy: [{ emailId: 'asc' }, { position: 'asc' }],
  });
  return emails.map(({ tenantId, ...row }) => {
    const ofRow = recipients.filter(({ emailId }) => emailId === row.id);
    return { tenantId, message: toMessage(row, ofRow, () => Promise.resolve(null)) };
  });
}
