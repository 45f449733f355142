import { Field, Int, ObjectType } from '@nestjs/graphql';
import { countedFrom, everyPeriod, HOURS } from '../../../common/lists/periods.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../models/schema.js';

const registerIn = WebsocketsManagerSchema;

@ObjectType('MessageActivityHour', { registerIn, description: 'Messages pushed in an hour, by current status.' })
class MessageActivityHour {
  @Field(() => DateTime, { nullable: true, description: 'Start of the hour (UTC).' })
  from: Date;

  @Field(() => Int, { nullable: true, description: 'Number of PENDING messages.' })
  pending: number;

  @Field(() => Int, { nullable: true, description: 'Number of DELIVERED messages.' })
  delivered: number;

  @Field(() => Int, { nullable: true, description: 'Number of CANCELLED messages.' })
  cancelled: number;
}

@ObjectType('MessageActivity', { registerIn, description: 'Numbers of messages per hour.' })
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
