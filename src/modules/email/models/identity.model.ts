import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { EmailSchema } from './schema.js';

const registerIn = EmailSchema;

/** Of one tenant. */
export const MAX_IDENTITIES = 1_000;

export enum EmailIdentityStatus {
  PENDING = 'PENDING',
  VERIFIED = 'VERIFIED',
}
registerEnumType(EmailIdentityStatus, {
  name: 'EmailIdentityStatus',
  registerIn,
  description: 'Whether an inbox agreed that the tenant sends from it.',
  valuesMap: {
    PENDING: { description: 'A link was sent to the address; it is good for 24 hours.' },
    VERIFIED: { description: 'Who reads the inbox agreed; the tenant may send from the address.' },
  },
});

@ObjectType('EmailIdentity', { registerIn, description: 'An inbox that the tenant sends from, or asked to.' })
export class EmailIdentity {
  @Field(() => String, { nullable: true, description: 'With the domain in lower case, and in ASCII as mail servers know it.' })
  address: string;

  @Field(() => EmailIdentityStatus, { nullable: true, description: 'Whether the inbox agreed.' })
  status: EmailIdentityStatus;

  @Field(() => DateTime, { nullable: true, description: 'When its validation was first asked for.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the inbox agreed; null until then.' })
  verifiedAt: Date | null;
}
