import { Field, ID, InputType, Int, OmitType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { TimeRange } from '../../../common/graphql/types/time-range.input.js';
import { EmailStatus, MAX_ADDRESSES } from '../models/email.model.js';
import { EmailSchema } from '../models/schema.js';
import { CONTAINS } from '../../../common/pages/page.js';
import { asCount, asDays, asHours } from '../../../common/validation/amounts.js';
import { MAX_ADDRESS } from '../../../common/validation/email-address.js';
import { KEEP_KEYS_MS, MAX_IDEMPOTENCY_KEY } from '../../../common/idempotency/idempotency-key.js';
import { MAX_NAME } from '../../../common/validation/text.js';
import { MAX_ATTACHMENTS } from '../models/content.model.js';
import { MAX_HEADERS, MAX_HEADERS_BYTES, MAX_TAGS } from '../models/header-names.js';
import { AttachmentInput, InlineAttachmentInput, RenderedAttachmentInput } from './attachment.inputs.js';
import { MailHeaderInput, MailTagInput } from './header.inputs.js';
import { UnsubscribeInput } from './suppression.inputs.js';
import { SuppressionReason } from '../models/suppression.model.js';
import {
  GIVE_UP_AFTER_MS,
  MAX_AHEAD_MS,
  MAX_ATTACHED_BYTES,
  MAX_BODIES,
  MAX_BODY,
  MAX_MESSAGES,
  MAX_RENDERED,
  MAX_SUBJECT,
  RENDERED_KEPT_MS,
} from '../models/limits.js';

const registerIn = EmailSchema;
const LINE = 'no line breaks or other control characters';

@InputType('EmailAddressInput', { registerIn, description: 'An address, with or without a name.' })
export class EmailAddressInput {
  @Field(() => String, {
    description:
      `At most ${MAX_ADDRESS} characters. ASCII only before the @; the domain may be internationalised, and its letter case is ` +
      'ignored.',
  })
  address: string;

  @Field(() => String, {
    nullable: true,
    description: `Up to ${asCount(MAX_NAME)} characters, ${LINE}, and no address other than the one beside it.`,
  })
  name?: string | null;
}

@InputType('SendMessageInput', { registerIn, description: 'htmlBody, textBody or templateName is needed.' })
export class SendMessageInput {
  @Field(() => [EmailAddressInput], {
    description: `At least one; at most ${MAX_ADDRESSES} together with cc and bcc. An address named twice counts once and gets one mail.`,
  })
  to: EmailAddressInput[];

  @Field(() => EmailAddressInput, {
    nullable: true,
    description:
      'EMAIL_FROM by default. Any other address or its domain must be VERIFIED (see verifyEmailIdentity and createEmailDomain), else ' +
      'FAILED_PRECONDITION.',
  })
  from?: EmailAddressInput | null;

  @Field(() => String, { nullable: true, description: `Up to ${MAX_SUBJECT} characters, ${LINE}.` })
  subject?: string | null;

  @Field(() => String, { nullable: true, description: `Up to ${asCount(MAX_BODY)} characters.` })
  htmlBody?: string | null;

  @Field(() => [AttachmentInput], {
    nullable: true,
    description:
      `Up to ${MAX_ATTACHMENTS}, and ${asCount(MAX_ATTACHED_BYTES)} bytes in all, together with inlineAttachments; more bytes are ` +
      'PAYLOAD_TOO_LARGE.',
  })
  attachments?: AttachmentInput[] | null;

  @Field(() => [EmailAddressInput], {
    nullable: true,
    description: 'Recipients of a copy, visible to all; counted with to and bcc.',
  })
  cc?: EmailAddressInput[] | null;

  @Field(() => [EmailAddressInput], {
    nullable: true,
    description: 'Recipients of a copy whom no header names; counted with to and cc.',
  })
  bcc?: EmailAddressInput[] | null;

  @Field(() => EmailAddressInput, { nullable: true, description: 'The address for replies; the sender by default.' })
  replyTo?: EmailAddressInput | null;

  @Field(() => String, { nullable: true, description: `Up to ${asCount(MAX_BODY)} characters; made from the html if left out.` })
  textBody?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A saved template of type email, rendered at once; excludes subject, htmlBody and textBody.',
  })
  templateName?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'With templateName only: one of its templateVersions, for a mail as it was approved, with the layouts, partials and translations of ' +
      'then. The present one unless given; NOT_FOUND when it is not kept.',
  })
  templateVersion?: number | null;

  @Field(() => String, { nullable: true, description: 'With templateName only: a JSON object as text; {} by default.' })
  params?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'With templateName only: true refuses the message with BAD_USER_INPUT when a parameter is missing or a value was ' +
      'replaced or left out (see missingParams and warnings of Document Rendering). false by default.',
  })
  strict?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'With templateName only: the language of the texts, which a lookup finds, and of numbers, dates, lists and plurals, an IETF language ' +
      'tag such as de-CH. That of the template without it.',
  })
  locale?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'With templateName only: the zone of times, an IANA name such as Europe/Zurich. UTC by default.',
  })
  timeZone?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      `1 to ${MAX_IDEMPOTENCY_KEY} characters, kept for ${asHours(KEEP_KEYS_MS)} hours. A repeat with the same content returns ` +
      'the first result and sends nothing; with other content it is a CONFLICT.',
  })
  idempotencyKey?: string | null;

  @Field(() => [MailHeaderInput], {
    nullable: true,
    description:
      `Headers to add: up to ${MAX_HEADERS}, each once, and ${asCount(MAX_HEADERS_BYTES)} bytes together. An Auto-Submitted replaces ` +
      'the auto-generated of this service (RFC 3834).',
  })
  headers?: MailHeaderInput[] | null;

  @Field(() => [MailTagInput], {
    nullable: true,
    description: `Tags to find the message by, up to ${MAX_TAGS}, each name once. Its events show them; recipients do not see them.`,
  })
  tags?: MailTagInput[] | null;

  @Field(() => [InlineAttachmentInput], {
    nullable: true,
    description: 'Attachments that are no stored files. They come after attachments, and count with them.',
  })
  inlineAttachments?: InlineAttachmentInput[] | null;

  @Field(() => [RenderedAttachmentInput], {
    nullable: true,
    description:
      `Up to ${MAX_RENDERED} PDFs, each rendered of a template before the message is stored, and kept as a file that expires after ` +
      `${asDays(RENDERED_KEPT_MS)} days. They come last, and count with the other attachments. FAILED_PRECONDITION on a server that makes no PDF.`,
  })
  renderedAttachments?: RenderedAttachmentInput[] | null;

  @Field(() => UnsubscribeInput, {
    nullable: true,
    description: 'Lets the recipient end the mails of a list. With one recipient only: each has an address of their own.',
  })
  unsubscribe?: UnsubscribeInput | null;

  @Field(() => [SuppressionReason], {
    nullable: true,
    description:
      'Reasons of suppressions that do not count for this message, such as UNSUBSCRIBED for a receipt: UNSUBSCRIBED and MANUAL. ' +
      'HARD_BOUNCE and COMPLAINT always count, and are BAD_USER_INPUT.',
  })
  ignoreSuppressions?: SuppressionReason[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      `When to send it: a time in the future, at most ${asDays(MAX_AHEAD_MS)} days ahead; at once by default. The message is rendered and ` +
      `checked now, and tried for ${asHours(GIVE_UP_AFTER_MS)} hours from that time on. See rescheduleMessage and cancelMessage.`,
  })
  sendAt?: Date | null;
}

@InputType('MessageDefaultsInput', { registerIn, description: 'Fields of all messages of a call.' })
export class MessageDefaultsInput extends OmitType(
  SendMessageInput,
  ['to', 'params', 'attachments', 'inlineAttachments', 'renderedAttachments', 'idempotencyKey'],
  InputType,
) {}

@InputType('SendMessagesInput', { registerIn, description: 'Messages to send, and what they share.' })
export class SendMessagesInput {
  @Field(() => MessageDefaultsInput, {
    nullable: true,
    description: 'What all messages share. A field that a message gives replaces that of the defaults; null does not.',
  })
  defaults?: MessageDefaultsInput | null;

  @Field(() => [SendMessageInput], {
    description:
      `1 to ${MAX_MESSAGES}. Their bodies, as rendered, have at most ${asCount(MAX_BODIES)} characters together, else PAYLOAD_TOO_LARGE ` +
      'for the messages beyond.',
  })
  messages: SendMessageInput[];
}

@InputType('DateTimeFilter', { registerIn, description: 'A range of time. Both bounds are inclusive; either can be left out.' })
class DateTimeFilter extends TimeRange {}

@InputType('EmailMessagesFilter', { registerIn, description: 'A message must match every given field.' })
export class EmailMessagesFilter {
  @Field(() => ID, { nullable: true, description: 'Id of the message.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'An address in to; cc and bcc are not searched.' })
  to?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Any part of the subject, or of the address of a recipient in to, cc or bcc: ${CONTAINS}`,
  })
  contains?: string | null;

  @Field(() => EmailStatus, { nullable: true, description: 'Only messages with this status.' })
  status?: EmailStatus | null;

  @Field(() => DateTimeFilter, { nullable: true, description: 'When the message was accepted.' })
  createdAt?: DateTimeFilter | null;

  @Field(() => MailTagInput, { nullable: true, description: 'A tag of the message, by its name and value.' })
  tag?: MailTagInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'true: only messages that wait for their sendAt, with no attempt begun. false: only the others.',
  })
  scheduled?: boolean | null;
}
