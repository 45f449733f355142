import type { EventKinds } from '../../../common/events/outbox/event.js';

const ofMessages = ['messages'];
const ofRecipients = ['onlineRecipients', 'connections'];

/** These two are told by Redis or by the node itself, not by a row: see RecipientEventsService. */
const LOST = 'Can be missing if a node dies, or Redis loses its data, at that moment.';

/** The events of messages and recipients. */
export const PUSH_EVENTS = {
  MESSAGE_DELIVERED: { description: 'A recipient confirmed a message.', readBy: ofMessages },
  MESSAGE_CANCELLED: { description: 'A message was not delivered; cancelReason says why.', readBy: ofMessages },
  RECIPIENT_ONLINE: { description: `The first connection of a recipient opened, over all nodes. ${LOST}`, readBy: ofRecipients },
  RECIPIENT_OFFLINE: {
    description: `The last connection of a recipient ended, over all nodes; within a minute after its node was killed. ${LOST}`,
    readBy: ofRecipients,
  },
} satisfies EventKinds;
