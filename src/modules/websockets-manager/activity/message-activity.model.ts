import { Field, Int, ObjectType } from '@nestjs/graphql';
import { countedFrom, everyPeriod, HOURS } from '../../../common/lists/periods.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = WebsocketsManagerSchema;

@ObjectType('MessageActivityHour', { registerIn, description: 'The messages that were pushed in an hour, by their status now.' })
class MessageActivityHour {
  @Field(() => DateTime, { nullable: true, description: 'The start of the hour (UTC).' })
  from: Date;

  @Field(() => Int, { nullable: true, description: 'Messages that are PENDING.' })
  pending: number;

  @Field(() => Int, { nullable: true, description: 'Messages that are DELIVERED.' })
  delivered: number;

  @Field(() => Int, { nullable: true, description: 'Messages that are CANCELLED.' })
  cancelled: number;
}

@ObjectType('MessageActivity', { registerIn, description: 'Numbers of messages, hour by hour.' })
export class MessageActivity {
  @Field(() => DateTime, {
    nullable: true,
    description: countedFrom(HOURS, 'messages'),
  })
  countedFrom: Date;

  @MaxItems(HOURS.max, { counted: HOURS.byDefault })
  @Field(() => [MessageActivityHour], {
    nullable: 'itemsAndList',
    description: everyPeriod(HOURS),
  })
  hours: MessageActivityHour[];
}
