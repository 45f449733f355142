import { Field, Int, ObjectType } from '@nestjs/graphql';
import { countedFrom, DAYS, everyPeriod } from '../../../common/lists/periods.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentLogSchema;

@ObjectType('LogActivityDay', { registerIn, description: 'Number of records of a day.' })
class LogActivityDay {
  @Field(() => DateTime, { nullable: true, description: 'Start of the day (UTC).' })
  from: Date;

  @Field(() => Int, { nullable: true, description: 'Number of records with a dateTime on this day.' })
  records: number;
}

@ObjectType('LogActivity', { registerIn, description: 'Numbers of records per day.' })
export class LogActivity {
  @Field(() => DateTime, {
    nullable: true,
    description: countedFrom(DAYS, 'records'),
  })
  countedFrom: Date;

  @MaxItems(DAYS.max, { counted: DAYS.byDefault })
  @Field(() => [LogActivityDay], {
    nullable: 'itemsAndList',
    description: everyPeriod(DAYS),
  })
  days: LogActivityDay[];
}
