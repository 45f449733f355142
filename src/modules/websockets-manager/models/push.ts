import type { EventKinds } from '../../../common/events/outbox/event.js';

/** The text of a push, as nodes send it to each other. Times in milliseconds since 1970. */
interface PushContent {
  tenantId: string;
  message: string;
  topic: string | null;
  createdAt: number;
  /** Null if the message cannot wait for recipients that are not connected. */
  expiresAt: number | null;
  /** The span that accepted the push, if it is recorded. */
  traceContext?: string;
  /** Set if the push may be sent more than once. A connection that was sent a message then gets no second frame of it. */
  isRepeated?: true;
}

/** One text to several recipients, with a message for each of them. */
export interface Push extends PushContent {
  messages: { id: string; recipient: string }[];
}

/** One message to all recipients. */
export interface GlobalPush extends PushContent {
  id: string;
}

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
