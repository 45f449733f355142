import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { EmailBounce } from './bounce.model.js';
import type { EmailContent } from './content.model.js';
import { MAX_TAGS } from './header-names.js';
import { EmailError } from './error.model.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { asCount, asHours } from '../../../common/base/amounts.js';
import { SuppressionReason } from './suppression.model.js';
import { GIVE_UP_AFTER_MS, MAX_ERROR } from './limits.js';

const registerIn = EmailSchema;

/** The most recipients of one message: to, cc and bcc together. */
export const MAX_ADDRESSES = 50;

export enum EmailStatus {
  QUEUED = 'QUEUED',
  SENT = 'SENT',
  FAILED = 'FAILED',
}
registerEnumType(EmailStatus, {
  name: 'EmailStatus',
  registerIn,
  description: 'The state of a message.',
  valuesMap: {
    QUEUED: {
      description: `Accepted, and tried for at most ${asHours(GIVE_UP_AFTER_MS)} hours, from its sendAt on, until it is sent or given up.`,
    },
    SENT: { description: 'The mail server took it for at least one recipient; lastError names the recipients refused for good.' },
    FAILED: { description: 'Refused for good for every recipient, given up or cancelled; lastError says why.' },
  },
});

export enum EmailMessagesOrder {
  NEWEST = 'NEWEST',
  OLDEST = 'OLDEST',
  SENDS_SOON = 'SENDS_SOON',
}
registerEnumType(EmailMessagesOrder, {
  name: 'EmailMessagesOrder',
  registerIn,
  description: 'The order of messages.',
  valuesMap: {
    NEWEST: { description: 'The message that was accepted last comes first.' },
    OLDEST: { description: 'The message that was accepted first comes first.' },
    SENDS_SOON: { description: 'The message with the earliest sendAt comes first. Needs the filter scheduled: true.' },
  },
});

@ObjectType('SendMessageResult', { registerIn, description: 'The accepted message.' })
export class SendMessageResult {
  @Field(() => ID, { nullable: true, description: 'Id of the accepted message; see messages.' })
  id: string;
}

@ObjectType('SendMessagesItem', { registerIn, description: 'The result for one message: its id, or why it was refused.' })
export class SendMessagesItem {
  @Field(() => ID, { nullable: true, description: 'Id of the accepted message; null if it was refused.' })
  id: string | null;

  @Field(() => EmailError, { nullable: true, description: 'Why the message was refused; null if it was accepted.' })
  error: EmailError | null;
}

@ObjectType('EmailAddress', { registerIn, description: 'An address, with or without a name.' })
export class EmailAddress {
  @Field(() => String, { nullable: true, description: 'The domain is in lower case, and in ASCII as mail servers know it.' })
  address: string;

  @Field(() => String, { nullable: true, description: 'Display name; null without one.' })
  name: string | null;
}

export enum EmailRecipientKind {
  TO = 'TO',
  CC = 'CC',
  BCC = 'BCC',
}
registerEnumType(EmailRecipientKind, {
  name: 'EmailRecipientKind',
  registerIn,
  description: 'The list that names a recipient.',
  valuesMap: {
    TO: { description: 'Named in the To header.' },
    CC: { description: 'Named in the Cc header.' },
    BCC: { description: 'Gets the mail and is named in no header.' },
  },
});

@ObjectType('EmailRecipient', {
  registerIn,
  description: 'A recipient of a message, and the state of the message for this recipient.',
})
export class EmailRecipient {
  @Field(() => String, { nullable: true, description: 'The domain is in lower case, and in ASCII as mail servers know it.' })
  address: string;

  @Field(() => String, { nullable: true, description: 'The name given with the address; null without one.' })
  name: string | null;

  @Field(() => EmailRecipientKind, { nullable: true, description: 'The list that names the address first.' })
  kind: EmailRecipientKind;

  @Field(() => EmailStatus, {
    nullable: true,
    description:
      'QUEUED: not reached yet; tried again. SENT: the mail server took the message for this address. FAILED: it refused this ' +
      `address for good, ${asHours(GIVE_UP_AFTER_MS)} hours have passed, or the application cancelled the message.`,
  })
  status: EmailStatus;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of attempts to reach this address, 0 before the first. None are made once it is SENT or FAILED.',
  })
  attempts: number;

  @Field(() => String, {
    nullable: true,
    description: `Why the last attempt did not reach this address, up to ${asCount(MAX_ERROR)} characters; null once it is SENT.`,
  })
  lastError: string | null;

  @Field(() => EmailBounce, {
    nullable: true,
    description: 'What was reported on this address after the mail server had taken the message; null while nothing was.',
  })
  bounce: EmailBounce | null;

  @Field(() => SuppressionReason, {
    nullable: true,
    description:
      'The reason for which the address was not tried, and is FAILED; null if it was not suppressed. See suppressions.',
  })
  suppressed: SuppressionReason | null;
}

@ObjectType('MailTag', { registerIn, description: 'A tag of a message.' })
class MailTag {
  @Field(() => String, { nullable: true, description: 'The name as given.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'The value as given.' })
  value: string;
}

@ObjectType('EmailMessage', { registerIn, description: 'An accepted message.' })
export class EmailMessage {
  @Field(() => ID, { nullable: true, description: 'UUIDv7.' })
  id: string;

  @Field(() => EmailAddress, { nullable: true, description: 'The sender.' })
  from: EmailAddress;

  @MaxItems(MAX_ADDRESSES, { counted: 2 })
  @Field(() => [EmailAddress], {
    nullable: 'itemsAndList',
    description: 'An address named twice stands only where it came first.',
  })
  to: EmailAddress[];

  @MaxItems(MAX_ADDRESSES, { counted: 2 })
  @Field(() => [EmailAddress], { nullable: 'itemsAndList', description: 'Recipients of a copy, visible to all.' })
  cc: EmailAddress[];

  @MaxItems(MAX_ADDRESSES, { counted: 2 })
  @Field(() => [EmailAddress], { nullable: 'itemsAndList', description: 'Recipients of a copy, hidden from the others.' })
  bcc: EmailAddress[];

  @MaxItems(MAX_ADDRESSES, { counted: 2 })
  @Field(() => [EmailRecipient], {
    nullable: 'itemsAndList',
    description: `Everybody in to, cc and bcc, in the order of the input, with the state of the message for each; at most ${MAX_ADDRESSES}.`,
  })
  recipients: EmailRecipient[];

  @Field(() => String, { nullable: true, description: 'The subject as sent: rendered, with a template.' })
  subject: string;

  @Field(() => EmailStatus, { nullable: true, description: 'The state of the message.' })
  status: EmailStatus;

  @Field(() => Int, { nullable: true, description: 'The number of attempts begun.' })
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt did not reach everybody; null if it did.' })
  lastError: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was accepted.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the status became SENT.' })
  sentAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it is to be sent, or was, which is its Date header; null if it was sent at once. See rescheduleMessage.',
  })
  sendAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it is tried next, at the earliest; null while it is being sent, and once it is SENT or FAILED. See sendMessageNow.',
  })
  nextAttemptAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Its Message-ID header (RFC 5322), the same in every attempt; the logs of mail servers name it.',
  })
  messageId: string;

  @MaxItems(MAX_TAGS, { counted: 1 })
  @Field(() => [MailTag], { nullable: 'itemsAndList', description: `The tags, in the order of the input; at most ${MAX_TAGS}.` })
  tags: MailTag[];

  @Field(() => String, { nullable: true, description: 'The list that its recipient can unsubscribe from; null without one.' })
  list: string | null;

  loadContent: () => Promise<EmailContent | null>;
}

@ObjectType('EmailMessagesResult', { registerIn, description: 'A page of messages.' })
export class EmailMessagesResult extends pageOf(EmailMessage, {
  nextToken: 'Pass it, with the same filter, to get the next page; null at the end.',
}) {}
