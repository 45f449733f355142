import type { EventKinds } from '../../../common/events/outbox/event.js';

const ofMessages = ['messages'];
const ofRecipients = ['onlineRecipients', 'connections'];

/** The events of messages and recipients. */
export const PUSH_EVENTS = {
  MESSAGE_DELIVERED: { description: 'A recipient confirmed a message.', readBy: ofMessages },
  MESSAGE_CANCELLED: { description: 'A message was not delivered; cancelReason says why.', readBy: ofMessages },
  RECIPIENT_ONLINE: { description: 'The first connection of a recipient opened, over all nodes.', readBy: ofRecipients },
  RECIPIENT_OFFLINE: { description: 'The last connection of a recipient ended, over all nodes.', readBy: ofRecipients },
} satisfies EventKinds;
