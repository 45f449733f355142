import { Field, ID, InputType } from '@nestjs/graphql';
import { TimeRange } from '../../../common/graphql/time-range.input.js';
import { EmailStatus } from '../models/email.model.js';
import { EmailSchema } from '../models/schema.js';

const registerIn = EmailSchema;
const LINE = 'no line breaks or other control characters';

@InputType('EmailAddressInput', { registerIn, description: 'An address, with or without a name.' })
export class EmailAddressInput {
  @Field(() => String, {
    description: 'At most 254 characters. Before the @ ASCII only; domains may be internationalised and do not tell cases apart.',
  })
  address: string;

  @Field(() => String, {
    nullable: true,
    description: `Up to 1,024 characters, ${LINE}, and no address but the one that it stands with.`,
  })
  name?: string | null;
}

@InputType('AttachmentInput', { registerIn, description: 'A file to send with a message.' })
export class AttachmentInput {
  @Field(() => String, { description: `What the recipient sees: 1 to 255 characters, ${LINE}, no .. segment.` })
  name: string;

  @Field(() => ID, {
    description:
      'A file of the tenant, else NOT_FOUND; it must be done, else FAILED_PRECONDITION. It arrives byte for byte, with its ' +
      'contentType, but message/… and multipart/… become application/octet-stream: MIME forbids encoding them.',
  })
  fileId: string;
}

@InputType('SendMessageInput', { registerIn, description: 'htmlBody, textBody or templateName is needed.' })
export class SendMessageInput {
  @Field(() => [EmailAddressInput], {
    description: 'At least one. With cc and bcc at most 50; an address that is named twice counts once and gets one mail.',
  })
  to: EmailAddressInput[];

  @Field(() => EmailAddressInput, {
    nullable: true,
    description:
      'EMAIL_FROM unless given. Any other address must be VERIFIED (see verifyEmailIdentity), else FAILED_PRECONDITION.',
  })
  from?: EmailAddressInput | null;

  @Field(() => String, { nullable: true, description: `Up to 998 characters, ${LINE}.` })
  subject?: string | null;

  @Field(() => String, { nullable: true, description: 'Up to 5,242,880 characters.' })
  htmlBody?: string | null;

  @Field(() => [AttachmentInput], {
    nullable: true,
    description: 'Up to 50, and 26,214,400 bytes in all, else PAYLOAD_TOO_LARGE.',
  })
  attachments?: AttachmentInput[] | null;

  @Field(() => [EmailAddressInput], {
    nullable: true,
    description: 'Recipients of a copy, whom all see; counted with to and bcc.',
  })
  cc?: EmailAddressInput[] | null;

  @Field(() => [EmailAddressInput], { nullable: true, description: 'They get the mail and stand in none of its headers.' })
  bcc?: EmailAddressInput[] | null;

  @Field(() => EmailAddressInput, { nullable: true, description: 'Where answers go; to the sender unless given.' })
  replyTo?: EmailAddressInput | null;

  @Field(() => String, { nullable: true, description: 'Up to 5,242,880 characters; made from the html when left out.' })
  textBody?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A saved template of type email, rendered now; excludes subject, htmlBody and textBody.',
  })
  templateName?: string | null;

  @Field(() => String, { nullable: true, description: 'With templateName only: a JSON object as text; {} unless given.' })
  params?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'With templateName only: true refuses the message with BAD_USER_INPUT when a parameter is missing or a value was ' +
      'replaced or left out (see missingParams and warnings of Document Rendering). false unless given.',
  })
  strict?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      '1 to 256 characters, kept for 24 hours. A repeat with the same content answers with the first result and sends ' +
      'nothing; with other content it is CONFLICT.',
  })
  idempotencyKey?: string | null;
}

@InputType('DateTimeFilter', { registerIn, description: 'Both bounds are inclusive; either can be left out.' })
class DateTimeFilter extends TimeRange {}

@InputType('EmailMessagesFilter', { registerIn, description: 'All that is given must match.' })
export class EmailMessagesFilter {
  @Field(() => ID, { nullable: true, description: 'Id of the message.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'An address among to; cc and bcc are not looked at.' })
  to?: string | null;

  @Field(() => EmailStatus, { nullable: true, description: 'Only messages with this status.' })
  status?: EmailStatus | null;

  @Field(() => DateTimeFilter, { nullable: true, description: 'When messages were accepted.' })
  createdAt?: DateTimeFilter | null;
}
