import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { MAX_HEADERS } from './header-names.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

/** Maximum attachments per message. */
export const MAX_ATTACHMENTS = 50;

@ObjectType('EmailAttachment', { registerIn, description: 'Attachment of a message, stored or inline.' })
class EmailAttachment {
  @Field(() => String, { nullable: true, description: 'File name shown to recipients.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: 'MIME type, as given inline or as of the file at acceptance.',
  })
  contentType: string;

  @Field(() => Float, { nullable: true, description: 'Size in bytes.' })
  size: number;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the attached file, which may since have changed, expired or been deleted. Null for an inline attachment.',
  })
  fileId: string | null;

  @Field(() => String, { nullable: true, description: 'Id by which the html embeds it (cid:ID); null without one.' })
  contentId: string | null;
}

@ObjectType('MailHeader', { registerIn, description: 'Header added to a message by the application.' })
class MailHeader {
  @Field(() => String, { nullable: true, description: 'Name as given.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Value as given, before encoding.' })
  value: string;
}

@ObjectType('EmailContent', { registerIn, description: 'Content of a message, with its attachments.' })
export class EmailContent {
  @Field(() => String, { nullable: true, description: 'HTML body, rendered from the template if any; null without one.' })
  html: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Plain text body; null if generated from the html on sending.',
  })
  text: string | null;

  @MaxItems(MAX_ATTACHMENTS, { counted: 5 })
  @Field(() => [EmailAttachment], {
    nullable: 'itemsAndList',
    description: `Attachments in input order, files first; at most ${MAX_ATTACHMENTS}. Excludes their bytes.`,
  })
  attachments: EmailAttachment[];

  @MaxItems(MAX_HEADERS, { counted: 2 })
  @Field(() => [MailHeader], {
    nullable: 'itemsAndList',
    description: `Headers added by the application, in input order; at most ${MAX_HEADERS}.`,
  })
  headers: MailHeader[];
}
