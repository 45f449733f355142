import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { asCount, asDays, asHours } from '../../../common/base/amounts.js';
import { GIVE_UP_AFTER_MS, KEEP_FINISHED_MS, LINK_LIFETIME_MS, MAX_ERROR } from '../models/limits.js';

const registerIn = EmailSchema;

/** The most identities of one tenant. */
export const MAX_IDENTITIES = 1_000;

export enum EmailIdentityStatus {
  PENDING = 'PENDING',
  VERIFIED = 'VERIFIED',
  FAILED = 'FAILED',
}
registerEnumType(EmailIdentityStatus, {
  name: 'EmailIdentityStatus',
  registerIn,
  description: 'Whether the reader of an inbox agreed that the tenant sends from it.',
  valuesMap: {
    PENDING: {
      description:
        `A link, valid for ${asHours(LINK_LIFETIME_MS)} hours, was sent to the address or will be; lastError says why it is not ` +
        'sent yet.',
    },
    VERIFIED: { description: 'The reader of the inbox agreed; the tenant may send from the address.' },
    FAILED: {
      description:
        `The latest link was refused for good, or given up after ${asHours(GIVE_UP_AFTER_MS)} hours; lastError says why. ` +
        'verifyEmailIdentity sends a new one.',
    },
  },
});

@ObjectType('EmailIdentity', { registerIn, description: 'An inbox that the tenant may send from, or asked to.' })
export class EmailIdentity {
  @Field(() => String, { nullable: true, description: 'The domain is in lower case, and in ASCII as mail servers know it.' })
  address: string;

  @Field(() => EmailIdentityStatus, { nullable: true, description: 'Whether the reader of the inbox agreed.' })
  status: EmailIdentityStatus;

  @Field(() => DateTime, { nullable: true, description: 'When validation was first requested.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the reader agreed; null until then.' })
  verifiedAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      `Why the latest link could not be sent, up to ${asCount(MAX_ERROR)} characters; null once it is sent. It is kept for ` +
      `${asDays(KEEP_FINISHED_MS)} days after the link was given up; then the status is PENDING again.`,
  })
  lastError: string | null;
}
