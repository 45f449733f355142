import { Field, ID, InputType } from '@nestjs/graphql';
import { TimeRange } from '../../../common/graphql/time-range.input.js';
import { MessageStatus } from '../message-states.js';
import { WebsocketsManagerSchema } from '../models/schema.js';

const registerIn = WebsocketsManagerSchema;

@InputType('DateTimeFilter', { registerIn, description: 'Both bounds are inclusive; either can be left out.' })
class DateTimeFilter extends TimeRange {}

@InputType('GlobalMessagesFilter', { registerIn, description: 'All that is given must match.' })
export class GlobalMessagesFilter {
  @Field(() => DateTimeFilter, { nullable: true, description: 'When messages were pushed.' })
  createdAt?: DateTimeFilter | null;

  @Field(() => DateTimeFilter, { nullable: true, description: 'What does not expire matches no bound.' })
  expiresAt?: DateTimeFilter | null;

  @Field(() => String, { nullable: true, description: 'The whole topic, case-sensitive.' })
  topic?: string | null;
}

@InputType('MessagesFilter', { registerIn, description: 'All that is given must match.' })
export class MessagesFilter extends GlobalMessagesFilter {
  @Field(() => String, { nullable: true, description: 'The whole name of the recipient, case-sensitive.' })
  recipient?: string | null;

  @Field(() => ID, { nullable: true, description: 'Id of the global message that they are of.' })
  globalMessageId?: string | null;

  @Field(() => MessageStatus, { nullable: true, description: 'Only messages with this status.' })
  status?: MessageStatus | null;
}
