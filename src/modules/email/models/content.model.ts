import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { MAX_HEADERS } from './header-names.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

/** The most attachments of one message. */
export const MAX_ATTACHMENTS = 50;

@ObjectType('EmailAttachment', { registerIn, description: 'A file or an inline attachment that was sent with a message.' })
class EmailAttachment {
  @Field(() => String, { nullable: true, description: 'The file name that the recipients see.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: 'The contentType as given inline, or of the file when the message was accepted.',
  })
  contentType: string;

  @Field(() => Float, { nullable: true, description: 'Size in bytes.' })
  size: number;

  @Field(() => ID, {
    nullable: true,
    description:
      'The file that it was; by now it can have other content, have expired or be deleted. Null for an inline attachment.',
  })
  fileId: string | null;

  @Field(() => String, { nullable: true, description: 'The id by which the html shows it (cid:ID); null without one.' })
  contentId: string | null;
}

@ObjectType('MailHeader', { registerIn, description: 'A header that the application added to a message.' })
class MailHeader {
  @Field(() => String, { nullable: true, description: 'The name as given.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'The value as given, before it was encoded.' })
  value: string;
}

@ObjectType('EmailContent', { registerIn, description: 'The text of a message, and what was attached to it.' })
export class EmailContent {
  @Field(() => String, { nullable: true, description: 'The html: rendered, with a template; null without one.' })
  html: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The plain text; null where it is made from the html only while the message is sent.',
  })
  text: string | null;

  @MaxItems(MAX_ATTACHMENTS, { counted: 5 })
  @Field(() => [EmailAttachment], {
    nullable: 'itemsAndList',
    description: `The attachments in the order of the input, files first; at most ${MAX_ATTACHMENTS}. Their bytes are not kept with the message.`,
  })
  attachments: EmailAttachment[];

  @MaxItems(MAX_HEADERS, { counted: 2 })
  @Field(() => [MailHeader], {
    nullable: 'itemsAndList',
    description: `The headers that the application added, in the order of the input; at most ${MAX_HEADERS}.`,
  })
  headers: MailHeader[];
}
