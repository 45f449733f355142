import { Field, InputType } from '@nestjs/graphql';
import { DateTime } from './date-time.scalar.js';

/** What the DateTimeFilter of each service is: a schema needs a class of its own. */
@InputType({ isAbstract: true })
export class TimeRange {
  @Field(() => DateTime, { nullable: true })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true })
  to?: Date | null;
}
