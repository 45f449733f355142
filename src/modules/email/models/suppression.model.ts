import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { asCount, asDays } from '../../../common/base/amounts.js';
import { EmailError } from './error.model.js';
import { MAX_ERROR, MAX_SOFT_BOUNCES, SOFT_BOUNCES_MS } from './limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

/** The reasons of suppressions, the gravest first. */
export enum SuppressionReason {
  COMPLAINT = 'COMPLAINT',
  HARD_BOUNCE = 'HARD_BOUNCE',
  UNSUBSCRIBED = 'UNSUBSCRIBED',
  MANUAL = 'MANUAL',
}
registerEnumType(SuppressionReason, {
  name: 'SuppressionReason',
  registerIn,
  description: 'Why mails are not sent to an address.',
  valuesMap: {
    COMPLAINT: { description: 'The recipient reported a mail as unwanted (RFC 5965).' },
    HARD_BOUNCE: {
      description:
        'The address is not there: its mail server said so, in the SMTP dialogue or in a report, or ' +
        `${MAX_SOFT_BOUNCES} mails bounced softly within ${asDays(SOFT_BOUNCES_MS)} days.`,
    },
    UNSUBSCRIBED: { description: 'The recipient ended the mails of a list.' },
    MANUAL: { description: 'The application, or a person in Studio, asked for it.' },
  },
});

@ObjectType('EmailSuppression', {
  registerIn,
  description: 'An address that mails are not sent to: all mails of the tenant, or those of one list.',
})
export class EmailSuppression {
  @Field(() => String, {
    nullable: true,
    description: 'In lower case, with the domain in ASCII. Its letter case does not count.',
  })
  address: string;

  @Field(() => SuppressionReason, {
    nullable: true,
    description: 'Why. An address can have several suppressions, each with its own.',
  })
  reason: SuppressionReason;

  @Field(() => String, { nullable: true, description: 'The list whose mails are not sent; null for all mails.' })
  list: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Since when.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'From when on it no longer counts; null for never.' })
  expiresAt: Date | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The message that bounced, was complained of or unsubscribed from, which may be removed by now; null without one.',
  })
  messageId: string | null;

  @Field(() => String, {
    nullable: true,
    description: `What the mail server said, up to ${asCount(MAX_ERROR)} characters; null if no server said anything.`,
  })
  diagnostic: string | null;
}

@ObjectType('SuppressionsResult', { registerIn, description: 'A page of suppressions.' })
export class SuppressionsResult extends pageOf(EmailSuppression, {
  nextToken: 'Pass it, with the same filter, to get the next page; null at the end.',
}) {}

@ObjectType('CreateSuppressionResult', { registerIn, description: 'The result for one address: suppression, or error.' })
export class CreateSuppressionResult {
  @Field(() => EmailSuppression, { nullable: true, description: 'The suppression, as it is stored.' })
  suppression?: EmailSuppression;

  @Field(() => EmailError, { nullable: true, description: 'Why it was not stored; null when it was.' })
  error?: EmailError;
}
