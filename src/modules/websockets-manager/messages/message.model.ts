import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { activityOf } from '../../../common/graphql/types/activity.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';
import { asSeconds } from '../../../common/base/amounts.js';
import { HOURS } from '../../../common/lists/periods.js';
import { CONFIRMATION_MS, MessageCancelReason, MessageStatus } from './message-states.js';

const registerIn = WebsocketsManagerSchema;
/** How many recipients one push can have. */
export const MAX_RECIPIENTS = 1_000;
const NEXT_TOKEN = 'Pass it as nextToken, with the same filter, for the next page; null on the last page.';

registerEnumType(MessageStatus, {
  name: 'MessageStatus',
  registerIn,
  description: 'What became of a message.',
  valuesMap: {
    PENDING: { description: 'Not yet confirmed by a connection of the recipient.' },
    DELIVERED: { description: 'A WebSocket connection of the recipient confirmed that it received the message. Final.' },
    CANCELLED: { description: 'Cancelled by the application, expired, or unable to wait: see docs/websockets.md. Final.' },
  },
});

registerEnumType(MessageCancelReason, {
  name: 'MessageCancelReason',
  registerIn,
  description: 'Why a message was cancelled.',
  valuesMap: {
    NOT_CONNECTED: { description: 'It cannot wait, and the recipient had no connection with its topic.' },
    CONNECTION_ENDED: { description: 'It cannot wait, and all connections that it was sent to ended before one confirmed it.' },
    UNCONFIRMED: { description: `It cannot wait, and no connection confirmed it within ${asSeconds(CONFIRMATION_MS)} s.` },
    EXPIRED: { description: 'The recipient did not connect before expiresAt. It was never sent.' },
    EXPIRED_UNCONFIRMED: {
      description:
        `It was sent before expiresAt, and no connection confirmed it by ${asSeconds(CONFIRMATION_MS)} s after. The recipient ` +
        'may have it.',
    },
    CANCELLED_BY_CALLER: { description: 'cancelMessage or cancelGlobalMessage ended it.' },
  },
});

@ObjectType('Message', { registerIn, description: 'A message to one recipient.' })
export class Message {
  @Field(() => ID, {
    nullable: true,
    description: 'UUIDv7. Each recipient of a global message has a message with an id of its own.',
  })
  id: string;

  @Field(() => String, { nullable: true, description: 'The recipient, as named in the push.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The text, as pushed.' })
  message: string;

  @Field(() => String, {
    nullable: true,
    description: 'Only connections with exactly this topic receive it; null: all connections.',
  })
  topic: string | null;

  @Field(() => MessageStatus, { nullable: true, description: 'Whether it was delivered.' })
  status: MessageStatus;

  @Field(() => DateTime, { nullable: true, description: 'How long it waits for its recipient; null: it does not wait.' })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was pushed.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When a connection first confirmed it.' })
  deliveredAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was cancelled, which is expiresAt if it expired. Null unless the message is CANCELLED.',
  })
  cancelledAt: Date | null;

  @Field(() => MessageCancelReason, {
    nullable: true,
    description: 'Why it was cancelled. Null unless the message is CANCELLED.',
  })
  cancelReason: MessageCancelReason | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The global message it belongs to, whose id its frame carries; null for a message of its own.',
  })
  globalMessageId: string | null;
}

@ObjectType('GlobalMessage', {
  registerIn,
  description: 'A message to all connected recipients, and to those that connect before it expires.',
})
export class GlobalMessage {
  @Field(() => ID, { nullable: true, description: 'UUIDv7; also the id in its frames.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'The text, as pushed.' })
  message: string;

  @Field(() => String, {
    nullable: true,
    description: 'Only connections with exactly this topic receive it; null: all connections.',
  })
  topic: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'How long it is sent to recipients that connect; null: it was sent once.',
  })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was pushed.' })
  createdAt: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When cancelGlobalMessage cancelled it; it is not sent from then on. Null: it was not cancelled.',
  })
  cancelledAt: Date | null;
}

@ObjectType('MessagesQueryResult', { registerIn, description: 'A page of messages.' })
export class MessagesQueryResult extends pageOf(Message, { nextToken: NEXT_TOKEN }) {}

@ObjectType('GlobalMessagesQueryResult', { registerIn, description: 'A page of global messages.' })
export class GlobalMessagesQueryResult extends pageOf(GlobalMessage, { nextToken: NEXT_TOKEN }) {}

@ObjectType('Error', { registerIn, description: 'Why a message was not sent.' })
export class PushError {
  @Field(() => String, { nullable: true, description: 'Lists the recipients that are not connected.' })
  message: string;
}

@ObjectType('PushMessageRecipientResult', { registerIn, description: 'The result for one recipient.' })
export class PushMessageRecipientResult {
  @Field(() => String, { nullable: true, description: 'The recipient, as named in the push.' })
  recipient: string;

  @Field(() => Message, { nullable: true, description: 'The stored message.' })
  item: Message;

  @Field(() => PushError, { nullable: true, description: 'Set if the recipient is not connected and the message cannot wait.' })
  error?: PushError | null;
}

@ObjectType('PushMessageResult', { registerIn, description: 'The result of a push.' })
export class PushMessageResult {
  @Field(() => Message, { nullable: true, description: 'The message to the first recipient.' })
  item: Message | null;

  @Field(() => PushError, {
    nullable: true,
    description: 'Set if the message cannot wait and recipients are not connected; names them.',
  })
  error?: PushError | null;

  @MaxItems(MAX_RECIPIENTS, { counted: 100 })
  @Field(() => [PushMessageRecipientResult], {
    nullable: 'itemsAndList',
    description: 'One result for each recipient, in the given order, without repeats.',
  })
  results: PushMessageRecipientResult[];
}

export const MessageActivity = activityOf(registerIn, {
  name: 'MessageActivity',
  what: 'messages',
  kind: HOURS,
  period: 'The messages that were pushed in an hour, by their status now.',
  counts: {
    pending: 'Messages that are PENDING.',
    delivered: 'Messages that are DELIVERED.',
    cancelled: 'Messages that are CANCELLED.',
  },
});
export type MessageActivity = InstanceType<typeof MessageActivity>;
