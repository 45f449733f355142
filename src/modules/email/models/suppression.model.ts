import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { asCount, asDays } from '../../../common/base/amounts.js';
import { EmailError } from './error.model.js';
import { MAX_ERROR, MAX_SOFT_BOUNCES, SOFT_BOUNCES_MS } from './limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

/** Suppression reasons, most severe first. */
export enum SuppressionReason {
  COMPLAINT = 'COMPLAINT',
  HARD_BOUNCE = 'HARD_BOUNCE',
  UNSUBSCRIBED = 'UNSUBSCRIBED',
  MANUAL = 'MANUAL',
}
registerEnumType(SuppressionReason, {
  name: 'SuppressionReason',
  registerIn,
  description: 'Suppression reason.',
  valuesMap: {
    COMPLAINT: { description: 'The recipient reported a mail as unwanted (RFC 5965).' },
    HARD_BOUNCE: {
      description:
        'The address does not exist, according to its mail server in the SMTP dialogue or in a report, or ' +
        `${MAX_SOFT_BOUNCES} mails bounced softly within ${asDays(SOFT_BOUNCES_MS)} days.`,
    },
    UNSUBSCRIBED: { description: 'The recipient unsubscribed from a list.' },
    MANUAL: { description: 'Created by the application, or by a user of Studio.' },
  },
});

@ObjectType('EmailSuppression', {
  registerIn,
  description: 'Suppressed address, for all mails of the tenant or those of one list.',
})
export class EmailSuppression {
  @Field(() => String, {
    nullable: true,
    description: 'Email address in lowercase, with the domain in ASCII. Matches in any letter case.',
  })
  address: string;

  @Field(() => SuppressionReason, {
    nullable: true,
    description: 'Reason. An address can have several suppressions, one per reason.',
  })
  reason: SuppressionReason;

  @Field(() => String, { nullable: true, description: 'Suppressed list; null for all mails.' })
  list: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of creation.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of expiry; null for never.' })
  expiresAt: Date | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the message that bounced, drew a complaint or was unsubscribed from, possibly removed since; null without one.',
  })
  messageId: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Reply of the mail server, up to ${asCount(MAX_ERROR)} characters; null if none.`,
  })
  diagnostic: string | null;
}

@ObjectType('SuppressionsResult', { registerIn, description: 'A page of suppressions.' })
export class SuppressionsResult extends pageOf(EmailSuppression, {
  nextToken: 'Cursor of the next page, or null on the last.',
}) {}

@ObjectType('CreateSuppressionResult', { registerIn, description: 'Result for one address: suppression or error.' })
export class CreateSuppressionResult {
  @Field(() => EmailSuppression, { nullable: true, description: 'Stored suppression.' })
  suppression?: EmailSuppression;

  @Field(() => EmailError, { nullable: true, description: 'Reason it was not stored; null if stored.' })
  error?: EmailError;
}
