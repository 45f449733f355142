import { Field, InputType } from '@nestjs/graphql';
import { DocumentLogSchema } from '../models/schema.js';

const registerIn = DocumentLogSchema;

@InputType('DateFilter', {
  registerIn,
  description:
    'When the events occurred, written as DateTime. Both bounds are inclusive; either may be left out. A date without time in ' +
    'to means the whole of that day.',
})
class DateFilter {
  @Field(() => String, { nullable: true, description: 'Earliest time, inclusive; left out, no earliest.' })
  from?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Latest time, inclusive; left out, no latest. A date without time means the whole of that day.',
  })
  to?: string | null;
}

@InputType('LogsFilter', { registerIn, description: 'All given fields must match exactly.' })
export class LogsFilter {
  @Field(() => String, { nullable: true, description: 'The whole type, case-sensitive.' })
  documentType?: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the document.' })
  documentId?: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the author.' })
  authorId?: string | null;

  @Field(() => DateFilter, { nullable: true, description: 'When the events occurred.' })
  dateTime?: DateFilter | null;

  @Field(() => String, { nullable: true, description: 'Id of the record.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the attribute.' })
  attributeId?: string | null;

  @Field(() => String, { nullable: true, description: 'The whole action, case-sensitive.' })
  action?: string | null;

  @Field(() => String, { nullable: true, description: 'The whole text, case-sensitive.' })
  custom1?: string | null;

  @Field(() => String, { nullable: true, description: 'The whole text, case-sensitive.' })
  custom2?: string | null;
}
