import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { asCount, asDays, asHours } from '../../../common/base/amounts.js';
import { GIVE_UP_AFTER_MS, KEEP_FINISHED_MS, LINK_LIFETIME_MS, MAX_ERROR } from '../models/limits.js';

const registerIn = EmailSchema;

/** Maximum identities per tenant. */
export const MAX_IDENTITIES = 1_000;

export enum EmailIdentityStatus {
  PENDING = 'PENDING',
  VERIFIED = 'VERIFIED',
  FAILED = 'FAILED',
}
registerEnumType(EmailIdentityStatus, {
  name: 'EmailIdentityStatus',
  registerIn,
  description: 'Verification status of a mailbox.',
  valuesMap: {
    PENDING: {
      description:
        `A link, valid for ${asHours(LINK_LIFETIME_MS)} hours, was or will be sent to the address; see lastError for a failed ` +
        'attempt.',
    },
    VERIFIED: { description: 'The owner of the mailbox agreed: the tenant may send from the address.' },
    FAILED: {
      description:
        `The latest link was rejected permanently, or not delivered within ${asHours(GIVE_UP_AFTER_MS)} hours; see lastError. ` +
        'Call verifyEmailIdentity for a new one.',
    },
  },
});

@ObjectType('EmailIdentity', { registerIn, description: 'Mailbox to send from, verified or pending.' })
export class EmailIdentity {
  @Field(() => String, { nullable: true, description: 'Email address, with the domain in lowercase ASCII.' })
  address: string;

  @Field(() => EmailIdentityStatus, { nullable: true, description: 'Verification status.' })
  status: EmailIdentityStatus;

  @Field(() => DateTime, { nullable: true, description: 'Time of the first request.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of verification; null before.' })
  verifiedAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      `Reason the latest link could not be sent, up to ${asCount(MAX_ERROR)} characters; null once sent. Stored for ` +
      `${asDays(KEEP_FINISHED_MS)} days after the final failure; then the status is PENDING again.`,
  })
  lastError: string | null;
}
