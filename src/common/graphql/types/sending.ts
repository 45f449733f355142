import { Field, ObjectType } from '@nestjs/graphql';
import { DateTime } from './date-time.scalar.js';

const nullable = true;

/** The fields of a webhook and of a log stream that show how sending goes. */
@ObjectType({ isAbstract: true })
export class SendingFields {
  @Field(() => DateTime, { nullable, description: 'Time of creation.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable, description: 'Time of the last change by the application.' })
  updatedAt: Date;

  @Field(() => DateTime, {
    nullable,
    description: 'Time of the first failed attempt since the last success; null while none failed.',
  })
  failingSince: Date | null;

  @Field(() => String, { nullable, description: 'Reason of the last failed attempt since the last success.' })
  lastError: string | null;

  @Field(() => DateTime, { nullable, description: 'Time of the last success.' })
  lastDeliveredAt: Date | null;

  @Field(() => DateTime, {
    nullable,
    description: 'While attempts fail one after another, nothing is sent before this time.',
  })
  pausedUntil: Date | null;
}
