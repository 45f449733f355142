import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { EmailSchema } from './schema.js';

const registerIn = EmailSchema;

/** Of one tenant. */
export const MAX_IDENTITIES = 1_000;

export enum EmailIdentityStatus {
  PENDING = 'PENDING',
  VERIFIED = 'VERIFIED',
  FAILED = 'FAILED',
}
registerEnumType(EmailIdentityStatus, {
  name: 'EmailIdentityStatus',
  registerIn,
  valuesMap: {
    PENDING: {
      description: 'A link goes to the address; it is good for 24 hours. lastError says why it is not sent yet, if it is not.',
    },
    VERIFIED: { description: 'Who reads the inbox agreed; the tenant may send from the address.' },
    FAILED: {
      description: 'The latest link was refused for good, or given up after 24 hours; lastError says why. Ask for a new one.',
    },
  },
});

@ObjectType('EmailIdentity', { registerIn, description: 'An inbox that the tenant sends from, or asked to.' })
export class EmailIdentity {
  @Field(() => String, { nullable: true, description: 'With the domain in lower case, and in ASCII as mail servers know it.' })
  address: string;

  @Field(() => EmailIdentityStatus, { nullable: true })
  status: EmailIdentityStatus;

  @Field(() => DateTime, { nullable: true, description: 'When its validation was first asked for.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true })
  verifiedAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the latest link could not be sent, up to 1,024 characters: what the mail server said, or why there is none. Null ' +
      'when it was sent, and from 30 days after it failed, when the status is PENDING again.',
  })
  lastError: string | null;
}
