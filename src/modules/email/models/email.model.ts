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

/** Maximum recipients per message: to, cc and bcc together. */
export const MAX_ADDRESSES = 50;

export enum EmailStatus {
  QUEUED = 'QUEUED',
  SENT = 'SENT',
  FAILED = 'FAILED',
}
registerEnumType(EmailStatus, {
  name: 'EmailStatus',
  registerIn,
  description: 'Status of a message.',
  valuesMap: {
    QUEUED: {
      description: `Accepted. Attempted for up to ${asHours(GIVE_UP_AFTER_MS)} hours from its sendAt on.`,
    },
    SENT: {
      description: 'Accepted by the mail server for at least one recipient; lastError lists the permanently rejected recipients.',
    },
    FAILED: { description: 'Rejected permanently for every recipient, given up or cancelled; see lastError.' },
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
  description: 'Sort order of messages.',
  valuesMap: {
    NEWEST: { description: 'Last accepted first.' },
    OLDEST: { description: 'First accepted first.' },
    SENDS_SOON: { description: 'Earliest sendAt first. Requires the filter scheduled: true.' },
  },
});

@ObjectType('SendMessageResult', { registerIn, description: 'Result of an accepted message.' })
export class SendMessageResult {
  @Field(() => ID, { nullable: true, description: 'Id of the accepted message; see messages.' })
  id: string;
}

@ObjectType('SendMessagesItem', { registerIn, description: 'Result for one message: its id or an error.' })
export class SendMessagesItem {
  @Field(() => ID, { nullable: true, description: 'Id of the accepted message; null if rejected.' })
  id: string | null;

  @Field(() => EmailError, { nullable: true, description: 'Reason for the rejection; null if accepted.' })
  error: EmailError | null;
}

@ObjectType('EmailAddress', { registerIn, description: 'Email address with an optional name.' })
export class EmailAddress {
  @Field(() => String, { nullable: true, description: 'Email address, with the domain in lowercase ASCII.' })
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
  description: 'List that contains a recipient.',
  valuesMap: {
    TO: { description: 'Named in the To header.' },
    CC: { description: 'Named in the Cc header.' },
    BCC: { description: 'Receives the mail without appearing in a header.' },
  },
});

@ObjectType('EmailRecipient', {
  registerIn,
  description: 'Recipient of a message, with its delivery status.',
})
export class EmailRecipient {
  @Field(() => String, { nullable: true, description: 'Email address, with the domain in lowercase ASCII.' })
  address: string;

  @Field(() => String, { nullable: true, description: 'Name given with the address; null without one.' })
  name: string | null;

  @Field(() => EmailRecipientKind, { nullable: true, description: 'First list that contains the address.' })
  kind: EmailRecipientKind;

  @Field(() => EmailStatus, {
    nullable: true,
    description:
      'QUEUED: not reached yet, retried. SENT: accepted by the mail server for this address. FAILED: rejected permanently, ' +
      `not reached within ${asHours(GIVE_UP_AFTER_MS)} hours, or cancelled by the application.`,
  })
  status: EmailStatus;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of attempts for this address, 0 before the first. Attempts end once it is SENT or FAILED.',
  })
  attempts: number;

  @Field(() => String, {
    nullable: true,
    description: `Reason the last attempt did not reach this address, up to ${asCount(MAX_ERROR)} characters; null once SENT.`,
  })
  lastError: string | null;

  @Field(() => EmailBounce, {
    nullable: true,
    description: 'Report on this address received after the message was SENT; null if none.',
  })
  bounce: EmailBounce | null;

  @Field(() => SuppressionReason, {
    nullable: true,
    description: 'Suppression reason of an address that is FAILED without an attempt; null if not suppressed. See suppressions.',
  })
  suppressed: SuppressionReason | null;
}

@ObjectType('MailTag', { registerIn, description: 'Tag of a message.' })
class MailTag {
  @Field(() => String, { nullable: true, description: 'Name as given.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Value as given.' })
  value: string;
}

@ObjectType('EmailMessage', { registerIn, description: 'Accepted message.' })
export class EmailMessage {
  @Field(() => ID, { nullable: true, description: 'UUIDv7.' })
  id: string;

  @Field(() => EmailAddress, { nullable: true, description: 'Sender.' })
  from: EmailAddress;

  @MaxItems(MAX_ADDRESSES, { counted: 2 })
  @Field(() => [EmailAddress], {
    nullable: 'itemsAndList',
    description: 'Recipients in to. A repeated address appears only in its first place.',
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
    description: `All recipients in to, cc and bcc, in input order, with their delivery status; at most ${MAX_ADDRESSES}.`,
  })
  recipients: EmailRecipient[];

  @Field(() => String, { nullable: true, description: 'Subject as sent, rendered from the template if any.' })
  subject: string;

  @Field(() => EmailStatus, { nullable: true, description: 'Status of the message.' })
  status: EmailStatus;

  @Field(() => Int, { nullable: true, description: 'Number of attempts begun.' })
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Reason the last attempt did not reach all recipients; null if it did.' })
  lastError: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of acceptance.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time at which the status became SENT.' })
  sentAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Scheduled time of sending, also its Date header; null if sent immediately. See rescheduleMessage.',
  })
  sendAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Earliest time of the next attempt; null while being sent, and once SENT or FAILED. See sendMessageNow.',
  })
  nextAttemptAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Message-ID header (RFC 5322), the same in every attempt. Identifies the message in logs of mail servers.',
  })
  messageId: string;

  @MaxItems(MAX_TAGS, { counted: 1 })
  @Field(() => [MailTag], { nullable: 'itemsAndList', description: `Tags in input order; at most ${MAX_TAGS}.` })
  tags: MailTag[];

  @Field(() => String, { nullable: true, description: 'List that its recipient can unsubscribe from; null without one.' })
  list: string | null;

  loadContent: () => Promise<EmailContent | null>;
}

@ObjectType('EmailMessagesResult', { registerIn, description: 'A page of messages.' })
export class EmailMessagesResult extends pageOf(EmailMessage, {
  nextToken: 'Cursor of the next page, or null on the last.',
}) {}
