import { Field, InputType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { MAX_ADDRESS } from '../../../common/validation/email-address.js';
import { EmailSchema } from '../models/schema.js';
import { MAX_LIST_BYTES } from '../models/limits.js';
import { SuppressionReason } from '../models/suppression.model.js';

const registerIn = EmailSchema;

@InputType('CreateSuppressionInput', { registerIn, description: 'An address that mails must not be sent to.' })
export class CreateSuppressionInput {
  @Field(() => String, { description: `At most ${MAX_ADDRESS} characters; the letter case does not count.` })
  address: string;

  @Field(() => SuppressionReason, {
    nullable: true,
    defaultValue: SuppressionReason.MANUAL,
    description: 'Why: MANUAL by default. The others are for what another service has found.',
  })
  reason?: SuppressionReason | null;

  @Field(() => String, {
    nullable: true,
    description: `The list whose mails are meant, 1 to ${MAX_LIST_BYTES} bytes on one line; all mails of the tenant if left out.`,
  })
  list?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ends, a time in the future; never if left out.' })
  expiresAt?: Date | null;
}

@InputType('SuppressionsFilter', { registerIn, description: 'A suppression must match every given field.' })
export class SuppressionsFilter {
  @Field(() => String, { nullable: true, description: 'The address; its letter case does not count.' })
  address?: string | null;

  @Field(() => SuppressionReason, { nullable: true, description: 'Only suppressions with this reason.' })
  reason?: SuppressionReason | null;

  @Field(() => String, { nullable: true, description: 'Only suppressions of this list.' })
  list?: string | null;
}

@InputType('UnsubscribeInput', {
  registerIn,
  description:
    'Lets the recipient end the mails of a list by one click (RFC 8058): the message has List-Unsubscribe and ' +
    'List-Unsubscribe-Post, and its template reads the address as unsubscribeUrl.',
})
export class UnsubscribeInput {
  @Field(() => String, {
    description: `The name of the list, such as news: 1 to ${MAX_LIST_BYTES} bytes on one line; the letter case counts. The recipient sees it.`,
  })
  list: string;

  @Field(() => String, {
    nullable: true,
    description:
      'An https address of the application, in place of one of this service. The application answers there to GET and POST, and ends ' +
      'the mails itself, such as with createSuppressions.',
  })
  url?: string | null;
}
