import { Field, InputType } from '@nestjs/graphql';
import { DateTime } from './date-time.scalar.js';

/** What the DateTimeFilter of each service is: a schema needs a class of its own. */
@InputType({ isAbstract: true })
export class TimeRange {
  @Field(() => DateTime, { nullable: true, description: 'Earliest time, inclusive; left out, no earliest.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Latest time, inclusive; left out, no latest.' })
  to?: Date | null;
}
