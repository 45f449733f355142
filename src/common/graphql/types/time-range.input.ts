import { Field, InputType } from '@nestjs/graphql';
import { DateTime } from './date-time.scalar.js';

/** Base of the DateTimeFilter of each service: a schema needs a class of its own. */
@InputType({ isAbstract: true })
export class TimeRange {
  @Field(() => DateTime, { nullable: true, description: 'Earliest time, inclusive; no lower bound by default.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Latest time, inclusive; no upper bound by default.' })
  to?: Date | null;
}
