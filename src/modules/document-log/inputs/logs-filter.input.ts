import { Field, InputType } from '@nestjs/graphql';
import { DocumentLogSchema } from '../models/schema.js';

const registerIn = DocumentLogSchema;

@InputType('DateFilter', {
  registerIn,
  description:
    'When the events occurred, written as DateTime. Both bounds are inclusive; either can be left out. A date without time in ' +
    'to means the whole of that day.',
})
class DateFilter {
  @Field(() => String, { nullable: true })
  from?: string | null;

  @Field(() => String, { nullable: true })
  to?: string | null;
}

@InputType('LogsFilter', { registerIn, description: 'All that is given must match, exactly.' })
export class LogsFilter {
  @Field(() => String, { nullable: true })
  documentType?: string | null;

  @Field(() => String, { nullable: true })
  documentId?: string | null;

  @Field(() => String, { nullable: true })
  authorId?: string | null;

  @Field(() => DateFilter, { nullable: true })
  dateTime?: DateFilter | null;

  @Field(() => String, { nullable: true })
  id?: string | null;

  @Field(() => String, { nullable: true })
  attributeId?: string | null;

  @Field(() => String, { nullable: true })
  action?: string | null;

  @Field(() => String, { nullable: true })
  custom1?: string | null;

  @Field(() => String, { nullable: true })
  custom2?: string | null;
}
