import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_ERROR } from './limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

/** From the least to the gravest: a graver report takes the place of a lesser one. */
export enum EmailBounceKind {
  DELAYED = 'DELAYED',
  SOFT = 'SOFT',
  HARD = 'HARD',
  COMPLAINT = 'COMPLAINT',
}
registerEnumType(EmailBounceKind, {
  name: 'EmailBounceKind',
  registerIn,
  description: 'What a report says of a recipient, from the least to the gravest.',
  valuesMap: {
    DELAYED: { description: 'Not delivered yet; the mail servers on the way still try.' },
    SOFT: { description: 'Not delivered, for a reason that may pass or is not of the address, such as a full mailbox.' },
    HARD: { description: 'Not delivered: there is no such address.' },
    COMPLAINT: { description: 'Delivered, and the reader reported it as unwanted.' },
  },
});

@ObjectType('EmailBounce', {
  registerIn,
  description: 'What a mail server reported on a recipient after the message was sent. Of several reports the gravest is kept.',
})
export class EmailBounce {
  @Field(() => DateTime, { nullable: true, description: 'When the report was taken.' })
  at: Date;

  @Field(() => EmailBounceKind, { nullable: true, description: 'What it says.' })
  kind: EmailBounceKind;

  @Field(() => String, { nullable: true, description: 'The code (RFC 3463), such as 5.1.1; null where the report has none.' })
  code: string | null;

  @Field(() => String, {
    nullable: true,
    description: `What the mail server said, up to ${asCount(MAX_ERROR)} characters; null where the report does not say.`,
  })
  diagnostic: string | null;
}
