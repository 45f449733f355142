import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MaxItems, PageItems } from '../../../common/bounds/list-size.js';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../../common/graphql/page.js';
import { EmailSchema } from './schema.js';

const registerIn = EmailSchema;

/** Of one message: to, cc and bcc together. */
export const MAX_RECIPIENTS = 50;

export enum EmailStatus {
  QUEUED = 'QUEUED',
  SENT = 'SENT',
  FAILED = 'FAILED',
}
registerEnumType(EmailStatus, {
  name: 'EmailStatus',
  registerIn,
  description: 'What became of a message.',
  valuesMap: {
    QUEUED: { description: 'Accepted; tried until it is sent or given up, for at most 24 hours.' },
    SENT: { description: 'The mail server took it for at least one recipient; lastError names those whom it refused for good.' },
    FAILED: { description: 'Refused for good for every recipient, or given up; lastError says why.' },
  },
});

@ObjectType('SendMessageResult', { registerIn, description: 'The message that was accepted.' })
export class SendMessageResult {
  @Field(() => ID, { nullable: true, description: 'Of the message that was accepted; see messages.' })
  id: string;
}

@ObjectType('EmailAddress', { registerIn, description: 'An address, with or without a name.' })
export class EmailAddress {
  @Field(() => String, { nullable: true, description: 'With the domain in lower case, and in ASCII as mail servers know it.' })
  address: string;

  @Field(() => String, { nullable: true, description: 'Name, as a person reads it; null without one.' })
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
  description: 'The list that a recipient was named in.',
  valuesMap: {
    TO: { description: 'Named in the To header.' },
    CC: { description: 'Named in the Cc header.' },
    BCC: { description: 'Gets the mail and is named in no header.' },
  },
});

@ObjectType('EmailRecipient', { registerIn, description: 'A recipient of a message, with the state of the message there.' })
export class EmailRecipient {
  @Field(() => String, { nullable: true, description: 'With the domain in lower case, and in ASCII as mail servers know it.' })
  address: string;

  @Field(() => String, { nullable: true, description: 'The name given with the address; null without one.' })
  name: string | null;

  @Field(() => EmailRecipientKind, { nullable: true, description: 'The list in which the address was named first.' })
  kind: EmailRecipientKind;

  @Field(() => EmailStatus, {
    nullable: true,
    description:
      'QUEUED: not reached yet, and tried again. SENT: the mail server took the message for this address. FAILED: it refused ' +
      'this address for good, or 24 hours were over.',
  })
  status: EmailStatus;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of attempts to reach this address, 0 before the first; there are none after it is SENT or FAILED.',
  })
  attempts: number;

  @Field(() => String, {
    nullable: true,
    description: 'The reason why the last attempt did not reach this address, up to 1,024 characters; null once it is SENT.',
  })
  lastError: string | null;
}

@ObjectType('EmailMessage', { registerIn, description: 'A message that was accepted.' })
export class EmailMessage {
  @Field(() => ID, { nullable: true, description: 'UUIDv7.' })
  id: string;

  @Field(() => EmailAddress, { nullable: true, description: 'The address that it comes from.' })
  from: EmailAddress;

  @MaxItems(MAX_RECIPIENTS, { counted: 5 })
  @Field(() => [EmailAddress], {
    nullable: 'itemsAndList',
    description: 'An address that was named twice stands where it was first.',
  })
  to: EmailAddress[];

  @MaxItems(MAX_RECIPIENTS, { counted: 5 })
  @Field(() => [EmailAddress], { nullable: 'itemsAndList', description: 'Recipients of a copy, whom all see.' })
  cc: EmailAddress[];

  @MaxItems(MAX_RECIPIENTS, { counted: 5 })
  @Field(() => [EmailAddress], { nullable: 'itemsAndList', description: 'Recipients whom the others do not see.' })
  bcc: EmailAddress[];

  @MaxItems(MAX_RECIPIENTS, { counted: 5 })
  @Field(() => [EmailRecipient], {
    nullable: 'itemsAndList',
    description:
      'Everybody in to, cc and bcc, in the order in which they were named, with the state of the message for each; at most 50.',
  })
  recipients: EmailRecipient[];

  @Field(() => String, { nullable: true, description: 'As it was sent: of a template, the rendered one.' })
  subject: string;

  @Field(() => EmailStatus, { nullable: true, description: 'What became of it.' })
  status: EmailStatus;

  @Field(() => Int, { nullable: true, description: 'How often sending was begun.' })
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt did not reach everybody; null when it did.' })
  lastError: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was accepted.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the status became SENT.' })
  sentAt: Date | null;
}

@ObjectType('EmailMessagesResult', { registerIn, description: 'A page of messages.' })
export class EmailMessagesResult {
  @PageItems(MAX_LIMIT, DEFAULT_LIMIT)
  @Field(() => [EmailMessage], { nullable: 'itemsAndList', description: 'The items of this page.' })
  items: EmailMessage[];

  @Field(() => String, { nullable: true, description: 'Give it back, with the same filter, for the next page; null at the end.' })
  nextToken: string | null;
}
