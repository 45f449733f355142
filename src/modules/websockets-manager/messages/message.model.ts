import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { activityOf } from '../../../common/graphql/types/activity.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';
import { asSeconds } from '../../../common/base/amounts.js';
import { HOURS } from '../../../common/lists/periods.js';
import type { FallbackOf } from '../fallbacks/message-fallback.model.js';
import { CONFIRMATION_MS, MessageCancelReason, MessageStatus } from './message-states.js';

const registerIn = WebsocketsManagerSchema;
/** Maximum recipients per push. */
export const MAX_RECIPIENTS = 1_000;
const NEXT_TOKEN = 'Cursor of the next page, or null on the last.';

registerEnumType(MessageStatus, {
  name: 'MessageStatus',
  registerIn,
  description: 'Delivery status of a message.',
  valuesMap: {
    PENDING: { description: 'Not yet confirmed by a connection of the recipient.' },
    DELIVERED: { description: 'A WebSocket connection of the recipient confirmed that it received the message. Final.' },
    CANCELLED: {
      description: 'Cancelled by the application, expired, or undeliverable without waiting; see docs/push.md. Final.',
    },
  },
});

registerEnumType(MessageCancelReason, {
  name: 'MessageCancelReason',
  registerIn,
  description: 'Reason of a cancellation.',
  valuesMap: {
    NOT_CONNECTED: { description: 'No expiresAt, and the recipient had no connection with its topic.' },
    CONNECTION_ENDED: { description: 'No expiresAt, and every connection it was sent to closed without confirming it.' },
    UNCONFIRMED: { description: `No expiresAt, and no connection confirmed it within ${asSeconds(CONFIRMATION_MS)} s.` },
    EXPIRED: { description: 'Never sent: the recipient did not connect before expiresAt.' },
    EXPIRED_UNCONFIRMED: {
      description:
        `Sent before expiresAt, but not confirmed within ${asSeconds(CONFIRMATION_MS)} s after it. The recipient ` +
        'may have received it.',
    },
    CANCELLED_BY_CALLER: { description: 'Cancelled by cancelMessage or cancelGlobalMessage.' },
  },
});

@ObjectType('Message', { registerIn, description: 'Message to one recipient.' })
export class Message {
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the message, a UUIDv7. Each recipient of a global message has a separate message.',
  })
  id: string;

  @Field(() => String, { nullable: true, description: 'Recipient, as named in the push.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'Text, as pushed.' })
  message: string;

  @Field(() => String, {
    nullable: true,
    description: 'Topic of the receiving connections; null for all connections.',
  })
  topic: string | null;

  @Field(() => MessageStatus, { nullable: true, description: 'Delivery status.' })
  status: MessageStatus;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time until which it waits for its recipient; null if it does not wait.',
  })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the push.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of the first confirmation.' })
  deliveredAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of cancellation; expiresAt if it expired. Null unless CANCELLED.',
  })
  cancelledAt: Date | null;

  @Field(() => MessageCancelReason, {
    nullable: true,
    description: 'Reason of the cancellation; null unless CANCELLED.',
  })
  cancelReason: MessageCancelReason | null;

  @Field(() => Boolean, { nullable: true, description: 'True if it was pushed to the inbox of its recipient.' })
  inbox: boolean;

  @Field(() => DateTime, { nullable: true, description: 'Time at which the recipient first saw it in its inbox, else null.' })
  seenAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time at which the recipient read it; null if it is unread.' })
  readAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time at which the recipient archived it, else null.' })
  archivedAt: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the global message it belongs to, also the id in its frame; null for others.',
  })
  globalMessageId: string | null;

  /** Loads its fallback when a caller asks for it; missing if there is none. */
  fallbackOf?: FallbackOf;
}

@ObjectType('GlobalMessage', {
  registerIn,
  description: 'Message to all connected recipients, and to those that connect before it expires.',
})
export class GlobalMessage {
  @Field(() => ID, { nullable: true, description: 'Id of the global message and of its frames, a UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Text, as pushed.' })
  message: string;

  @Field(() => String, {
    nullable: true,
    description: 'Topic of the receiving connections; null for all connections.',
  })
  topic: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time until which it is sent to newly connected recipients; null if it was sent only once.',
  })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the push.' })
  createdAt: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of cancellation by cancelGlobalMessage, which stops further sending; null unless cancelled.',
  })
  cancelledAt: Date | null;
}

@ObjectType('MessagesQueryResult', { registerIn, description: 'A page of messages.' })
export class MessagesQueryResult extends pageOf(Message, { nextToken: NEXT_TOKEN }) {}

@ObjectType('GlobalMessagesQueryResult', { registerIn, description: 'A page of global messages.' })
export class GlobalMessagesQueryResult extends pageOf(GlobalMessage, { nextToken: NEXT_TOKEN }) {}

@ObjectType('Error', { registerIn, description: 'Error of a message that was not sent.' })
export class PushError {
  @Field(() => String, { nullable: true, description: 'Message, with the recipients that are not connected.' })
  message: string;
}

@ObjectType('PushMessageRecipientResult', { registerIn, description: 'Result for one recipient.' })
export class PushMessageRecipientResult {
  @Field(() => String, { nullable: true, description: 'Recipient, as named in the push.' })
  recipient: string;

  @Field(() => Message, { nullable: true, description: 'Stored message.' })
  item: Message;

  @Field(() => PushError, {
    nullable: true,
    description: 'Error if the recipient is not connected and the message cannot wait; otherwise null.',
  })
  error?: PushError | null;
}

@ObjectType('PushMessageResult', { registerIn, description: 'Result of a push.' })
export class PushMessageResult {
  @Field(() => Message, { nullable: true, description: 'Message to the first recipient.' })
  item: Message | null;

  @Field(() => PushError, {
    nullable: true,
    description: 'Error that names the recipients not connected, if the message cannot wait; otherwise null.',
  })
  error?: PushError | null;

  @MaxItems(MAX_RECIPIENTS, { counted: 100 })
  @Field(() => [PushMessageRecipientResult], {
    nullable: 'itemsAndList',
    description: 'One result per distinct recipient, in input order.',
  })
  results: PushMessageRecipientResult[];
}

export const MessageActivity = activityOf(registerIn, {
  name: 'MessageActivity',
  what: 'messages',
  kind: HOURS,
  period: 'Number of messages pushed in one hour, by current status.',
  counts: {
    pending: 'Messages with status PENDING.',
    delivered: 'Messages with status DELIVERED.',
    cancelled: 'Messages with status CANCELLED.',
  },
});
export type MessageActivity = InstanceType<typeof MessageActivity>;
