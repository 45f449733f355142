import { Field, ID, InputType } from '@nestjs/graphql';
import { TimeRange } from '../../../common/graphql/types/time-range.input.js';
import { MessageStatus } from '../models/message-states.js';
import { WebsocketsManagerSchema } from '../models/schema.js';

const registerIn = WebsocketsManagerSchema;

@InputType('DateTimeFilter', { registerIn, description: 'Both bounds are inclusive; either can be left out.' })
class DateTimeFilter extends TimeRange {}

@InputType('GlobalMessagesFilter', { registerIn, description: 'Filters messages; all given fields must match.' })
export class GlobalMessagesFilter {
  @Field(() => DateTimeFilter, { nullable: true, description: 'When messages were pushed.' })
  createdAt?: DateTimeFilter | null;

  @Field(() => DateTimeFilter, {
    nullable: true,
    description: 'When messages expire; messages that do not expire match no bound.',
  })
  expiresAt?: DateTimeFilter | null;

  @Field(() => String, { nullable: true, description: 'The whole topic, case-sensitive.' })
  topic?: string | null;
}

@InputType('MessagesFilter', { registerIn, description: 'Filters messages; all given fields must match.' })
export class MessagesFilter extends GlobalMessagesFilter {
  @Field(() => String, { nullable: true, description: 'The whole name of the recipient, case-sensitive.' })
  recipient?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only messages of the global message with this id.' })
  globalMessageId?: string | null;

  @Field(() => MessageStatus, { nullable: true, description: 'Only messages with this status.' })
  status?: MessageStatus | null;
}
