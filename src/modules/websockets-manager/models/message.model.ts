import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MaxItems, PageItems } from '../../../common/bounds/list-size.js';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../../common/graphql/page.js';
import { MessageStatus } from '../message-states.js';
import { WebsocketsManagerSchema } from './schema.js';

const registerIn = WebsocketsManagerSchema;
/** Of one push. */
export const MAX_RECIPIENTS = 1_000;
const NEXT_TOKEN = 'Give it back, with the same filter, for the next page; null at the end.';

registerEnumType(MessageStatus, {
  name: 'MessageStatus',
  registerIn,
  description: 'What became of a message.',
  valuesMap: {
    PENDING: { description: 'Made, and not yet confirmed by a connection of the recipient.' },
    DELIVERED: { description: 'A WebSocket connection of the recipient confirmed that it received the message. Final.' },
    CANCELLED: { description: 'Expired, could not wait, or was cancelled: see docs/websockets.md. Final.' },
  },
});

@ObjectType('Message', { registerIn, description: 'A message to one recipient.' })
export class Message {
  @Field(() => ID, { nullable: true, description: 'UUIDv7. Of a global message each recipient has one of its own.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'The recipient, as the push named it.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The text, as it was pushed.' })
  message: string;

  @Field(() => String, { nullable: true, description: 'Only connections registered with exactly this topic receive it.' })
  topic: string | null;

  @Field(() => MessageStatus, { nullable: true, description: 'What became of it.' })
  status: MessageStatus;

  @Field(() => DateTime, { nullable: true, description: 'Until then it waits for its recipient; null: it does not wait.' })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was pushed.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the first connection confirmed it.' })
  deliveredAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'expiresAt, where it expired. Null unless the message is CANCELLED.' })
  cancelledAt: Date | null;

  @Field(() => ID, { nullable: true, description: 'The global message that it is part of, and the id in its frame.' })
  globalMessageId: string | null;
}

@ObjectType('GlobalMessage', {
  registerIn,
  description: 'A message to all who are connected, and who connect before it expires.',
})
export class GlobalMessage {
  @Field(() => ID, { nullable: true, description: 'UUIDv7; also the id in the frame.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'The text, as it was pushed.' })
  message: string;

  @Field(() => String, { nullable: true, description: 'Only connections with this topic get it; null for all.' })
  topic: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when it is sent to who connects; null when it was sent once only.',
  })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was pushed.' })
  createdAt: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When cancelGlobalMessage ended it: from then on nobody is sent it. Null: it was not cancelled.',
  })
  cancelledAt: Date | null;
}

@ObjectType('MessagesQueryResult', { registerIn, description: 'A page of messages.' })
export class MessagesQueryResult {
  @PageItems(MAX_LIMIT, DEFAULT_LIMIT)
  @Field(() => [Message], { nullable: 'itemsAndList', description: 'The items of this page.' })
  items: Message[];

  @Field(() => String, { nullable: true, description: NEXT_TOKEN })
  nextToken: string | null;
}

@ObjectType('GlobalMessagesQueryResult', { registerIn, description: 'A page of global messages.' })
export class GlobalMessagesQueryResult {
  @PageItems(MAX_LIMIT, DEFAULT_LIMIT)
  @Field(() => [GlobalMessage], { nullable: 'itemsAndList', description: 'The items of this page.' })
  items: GlobalMessage[];

  @Field(() => String, { nullable: true, description: NEXT_TOKEN })
  nextToken: string | null;
}

@ObjectType('Error', { registerIn, description: 'Why a message was not sent.' })
export class PushError {
  @Field(() => String, { nullable: true, description: 'Names the recipients that are not connected.' })
  message: string;
}

@ObjectType('PushMessageRecipientResult', { registerIn, description: 'What became of the message to one recipient.' })
export class PushMessageRecipientResult {
  @Field(() => String, { nullable: true, description: 'The recipient, as the push named it.' })
  recipient: string;

  @Field(() => Message, { nullable: true, description: 'The message, as it was stored.' })
  item: Message;

  @Field(() => PushError, { nullable: true, description: 'Set when it is not connected and the message cannot wait.' })
  error?: PushError | null;
}

@ObjectType('PushMessageResult', { registerIn, description: 'What became of a push.' })
export class PushMessageResult {
  @Field(() => Message, { nullable: true, description: 'That of the first recipient.' })
  item: Message;

  @Field(() => PushError, {
    nullable: true,
    description: 'Set when a recipient is not connected and the message cannot wait, and names which.',
  })
  error?: PushError | null;

  @MaxItems(MAX_RECIPIENTS, { counted: 100 })
  @Field(() => [PushMessageRecipientResult], {
    nullable: 'itemsAndList',
    description: 'One for each recipient, in the order given, repeats dropped.',
  })
  results: PushMessageRecipientResult[];
}
