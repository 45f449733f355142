import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_ERROR } from './limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

/** Kinds from the least to the most severe. A more severe report replaces a lesser one. */
export enum EmailBounceKind {
  DELAYED = 'DELAYED',
  SOFT = 'SOFT',
  HARD = 'HARD',
  COMPLAINT = 'COMPLAINT',
}
registerEnumType(EmailBounceKind, {
  name: 'EmailBounceKind',
  registerIn,
  description: 'Kind of report on a recipient, from the least to the most severe.',
  valuesMap: {
    DELAYED: { description: 'Not delivered yet; mail servers are still retrying.' },
    SOFT: { description: 'Not delivered, for a temporary reason or one unrelated to the address, such as a full mailbox.' },
    HARD: { description: 'Not delivered: the address does not exist.' },
    COMPLAINT: { description: 'Delivered, but reported by the recipient as unwanted.' },
  },
});

@ObjectType('EmailBounce', {
  registerIn,
  description: 'Report of a mail server on a recipient after the message was sent. The most severe of several reports is stored.',
})
export class EmailBounce {
  @Field(() => DateTime, { nullable: true, description: 'Time of receipt.' })
  at: Date;

  @Field(() => EmailBounceKind, { nullable: true, description: 'Kind of report.' })
  kind: EmailBounceKind;

  @Field(() => String, { nullable: true, description: 'Enhanced status code (RFC 3463), such as 5.1.1; null if absent.' })
  code: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Reply of the mail server, up to ${asCount(MAX_ERROR)} characters; null if absent.`,
  })
  diagnostic: string | null;
}
