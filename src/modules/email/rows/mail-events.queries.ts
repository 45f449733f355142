import type { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import type { NewEvent } from '../../../common/events/outbox/event.js';
import type { AllTenantsTransaction } from '../../../common/database/database.js';
import type { MAIL_EVENTS } from '../models/events.js';
import { toMessage } from './email-message.js';

const SERVICE = 'email';

/** The events of a message that ended. */
const EVENT_OF = { SENT: 'MESSAGE_SENT', FAILED: 'MESSAGE_FAILED' } as const satisfies Record<string, keyof typeof MAIL_EVENTS>;

/** Returns whether a tenant wants to hear how its messages end. */
export const wantsMailEvents = (outbox: Pick<EventOutbox, 'wants'>, tenantId: string): boolean =>
  outbox.wants(tenantId, SERVICE, ...Object.values(EVENT_OF));

/** Makes the events of messages that ended in this transaction: all fields but the content. */
export async function mailEvents(transaction: AllTenantsTransaction, ids: string[]): Promise<NewEvent[]> {
  if (ids.length === 0) return [];
  const emails = await transaction.email.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
  const recipients = await transaction.emailRecipient.findMany({
    where: { emailId: { in: ids } },
    orderBy: [{ emailId: 'asc' }, { position: 'asc' }],
  });
  return emails.flatMap((row): NewEvent[] => {
    if (row.status === 'QUEUED') return [];
    const ofRow = recipients.filter(({ emailId }) => emailId === row.id);
    const { id, tenantId, fromAddress, fromName, subject, status, attempts, lastError, createdAt, sentAt } = row;
    const listed = { id, fromAddress, fromName, subject, status, attempts, lastError, createdAt, sentAt };
    const data = toMessage(listed, ofRow, () => Promise.resolve(null));
    return [{ tenantId, service: SERVICE, type: EVENT_OF[status], subject: id, data }];
  });
}
