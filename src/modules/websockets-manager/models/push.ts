import type { EventKinds } from '../../../common/events/outbox/event.js';

/** Push as sent between nodes. Times are in milliseconds since 1970. */
interface PushContent {
  tenantId: string;
  message: string;
  topic: string | null;
  createdAt: number;
  /** Time until which the message is stored for offline recipients; null if it is not. */
  expiresAt: number | null;
  /** Recorded span that accepted the push, if any. */
  traceContext?: string;
  /** True if the push may be sent more than once. A connection then receives no second frame of a message. */
  isRepeated?: true;
  /** True in frames of stored messages that a connection asked for. */
  replayed?: true;
}

/** Text to several recipients, with a message for each. */
export interface Push extends PushContent {
  messages: { id: string; recipient: string }[];
}

/** Message to all recipients. */
export interface GlobalPush extends PushContent {
  id: string;
}

const ofMessages = ['messages'];
const ofRecipients = ['onlineRecipients', 'connections'];

/** Note on events from Redis or the node rather than from a row; see RecipientEventsService. */
const LOST = 'Can be missing if a node crashes or Redis loses its data at that moment.';

/** Events of messages and recipients. */
export const PUSH_EVENTS = {
  MESSAGE_DELIVERED: { description: 'A recipient confirmed a message.', readBy: ofMessages },
  MESSAGE_CANCELLED: { description: 'A message was cancelled; cancelReason contains the reason.', readBy: ofMessages },
  RECIPIENT_ONLINE: { description: `The first connection of a recipient on any node opened. ${LOST}`, readBy: ofRecipients },
  RECIPIENT_OFFLINE: {
    description: `The last connection of a recipient on any node closed. Sent within a minute if its node was killed. ${LOST}`,
    readBy: ofRecipients,
  },
} satisfies EventKinds;
