import { Field, Int, ObjectType } from '@nestjs/graphql';
import { countedFrom, everyPeriod, HOURS } from '../../../common/lists/periods.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

@ObjectType('MessageActivityHour', {
  registerIn,
  description: 'Messages accepted in an hour, by current status.',
})
class MessageActivityHour {
  @Field(() => DateTime, { nullable: true, description: 'Start of the hour (UTC).' })
  from: Date;

  @Field(() => Int, { nullable: true, description: 'Number of QUEUED messages.' })
  queued: number;

  @Field(() => Int, { nullable: true, description: 'Number of SENT messages.' })
  sent: number;

  @Field(() => Int, { nullable: true, description: 'Number of FAILED messages.' })
  failed: number;
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
