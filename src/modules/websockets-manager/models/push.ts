import { type EventKinds, SAMPLE_ID, SAMPLE_TIME } from '../../../common/events/outbox/event.js';

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
  /** True if the message is in the inbox of its recipient. */
  inbox?: true | undefined;
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

const MESSAGE = {
  message: 'Your order is on its way.',
  topic: null,
  expiresAt: null,
  id: SAMPLE_ID,
  recipient: 'user-17',
  createdAt: SAMPLE_TIME,
  globalMessageId: null,
  inbox: false,
  seenAt: null,
  readAt: null,
  archivedAt: null,
};
const DELIVERED = { ...MESSAGE, status: 'DELIVERED', cancelledAt: null, cancelReason: null, deliveredAt: SAMPLE_TIME };
const CANCELLED = {
  ...MESSAGE,
  status: 'CANCELLED',
  cancelledAt: SAMPLE_TIME,
  cancelReason: 'NOT_CONNECTED',
  deliveredAt: null,
};
const ofRecipient = { subject: 'user-17', data: { recipient: 'user-17', at: SAMPLE_TIME } };

/** Events of messages and recipients. */
export const PUSH_EVENTS = {
  MESSAGE_DELIVERED: {
    description: 'A recipient confirmed a message.',
    readBy: ofMessages,
    sample: { subject: SAMPLE_ID, data: DELIVERED },
  },
  MESSAGE_CANCELLED: {
    description: 'A message was cancelled; cancelReason contains the reason.',
    readBy: ofMessages,
    sample: { subject: SAMPLE_ID, data: CANCELLED },
  },
  MESSAGE_FELL_BACK: {
    description: 'The fallback of a message came due without a confirmation; fallback says whether its mail was SENT or FAILED.',
    readBy: ofMessages,
    sample: {
      subject: SAMPLE_ID,
      data: { ...CANCELLED, fallback: { state: 'SENT', at: SAMPLE_TIME, emailId: SAMPLE_ID, error: null } },
    },
  },
  RECIPIENT_ONLINE: {
    description: `The first connection of a recipient on any node opened. ${LOST}`,
    readBy: ofRecipients,
    sample: ofRecipient,
  },
  RECIPIENT_OFFLINE: {
    description: `The last connection of a recipient on any node closed. Sent within a minute if its node was killed. ${LOST}`,
    readBy: ofRecipients,
    sample: ofRecipient,
  },
} satisfies EventKinds;
