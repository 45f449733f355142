import { Field, Float, ID, InputType, Int, registerEnumType } from '@nestjs/graphql';
import { asCount } from '../../../common/validation/amounts.js';
import { MAX_CONTENT_TYPE } from '../../../common/validation/content-type.js';
import { MAX_CONTENT_ID, MAX_FILE_NAME, MAX_INLINE_BYTES } from '../models/limits.js';
import { EmailSchema } from '../models/schema.js';

const registerIn = EmailSchema;
const NAME =
  `The file name that the recipient sees: 1 to ${MAX_FILE_NAME} characters, no line breaks or other control characters, ` +
  'no .. segment.';
const CONTENT_ID =
  `Shown where the html has cid:ID: A-Z, a-z, 0-9, dot, underscore and hyphen, up to ${MAX_CONTENT_ID} characters, each once in a ` +
  'message. BAD_USER_INPUT when the html, as rendered, does not name it.';

@InputType('AttachmentInput', { registerIn, description: 'A file to send with a message.' })
export class AttachmentInput {
  @Field(() => String, { description: NAME })
  name: string;

  @Field(() => ID, {
    description:
      'A file of the tenant, else NOT_FOUND, with the status done, else FAILED_PRECONDITION. It arrives byte for byte, under ' +
      'its contentType; message/… and multipart/… become application/octet-stream, since MIME forbids encoding them.',
  })
  fileId: string;

  @Field(() => String, { nullable: true, description: CONTENT_ID })
  contentId?: string | null;
}

@InputType('InlineAttachmentInput', { registerIn, description: 'Content to send with a message that is no stored file.' })
export class InlineAttachmentInput {
  @Field(() => String, { description: NAME })
  name: string;

  @Field(() => String, {
    description: `MIME type, up to ${MAX_CONTENT_TYPE} characters; message/… and multipart/… become application/octet-stream, as those of files do.`,
  })
  contentType: string;

  @Field(() => String, {
    description: `Base64 in its standard alphabet with padding (RFC 4648), without line breaks; up to ${asCount(MAX_INLINE_BYTES)} bytes decoded.`,
  })
  content: string;

  @Field(() => String, { nullable: true, description: CONTENT_ID })
  contentId?: string | null;
}

const AS_IN_RENDER_FILE = 'As renderFile of Document Rendering takes it.';

enum PaperSize {
  A4 = 'A4',
  A5 = 'A5',
  LETTER = 'LETTER',
  LEGAL = 'LEGAL',
}
registerEnumType(PaperSize, {
  name: 'PaperSize',
  registerIn,
  description: 'The size of each page.',
  valuesMap: {
    A4: { description: 'The sheet of offices in most countries (ISO).' },
    A5: { description: 'Half of A4.' },
    LETTER: { description: 'The sheet of offices in North America.' },
    LEGAL: { description: 'As wide as LETTER, and higher.' },
  },
});

@InputType('PdfInput', { registerIn, description: 'How a document is printed.' })
class AttachedPdfInput {
  @Field(() => PaperSize, { nullable: true, description: AS_IN_RENDER_FILE })
  paper?: PaperSize | null;

  @Field(() => Boolean, { nullable: true, description: AS_IN_RENDER_FILE })
  landscape?: boolean | null;

  @Field(() => [Float], { nullable: 'itemsAndList', description: AS_IN_RENDER_FILE })
  marginsMm?: (number | null)[] | null;

  @Field(() => String, { nullable: true, description: AS_IN_RENDER_FILE })
  headerTemplateName?: string | null;

  @Field(() => String, { nullable: true, description: AS_IN_RENDER_FILE })
  footerTemplateName?: string | null;

  @Field(() => Boolean, { nullable: true, description: AS_IN_RENDER_FILE })
  archival?: boolean | null;

  @Field(() => [ID], { nullable: 'itemsAndList', description: AS_IN_RENDER_FILE })
  embed?: (string | null)[] | null;
}

@InputType('RenderedAttachmentInput', { registerIn, description: 'A PDF to render of a template, and to send with a message.' })
export class RenderedAttachmentInput {
  @Field(() => String, { description: `${NAME} The file that is made has it too.` })
  name: string;

  @Field(() => String, { description: 'A saved template of HTML, else NOT_FOUND.' })
  templateName: string;

  @Field(() => Int, { nullable: true, description: AS_IN_RENDER_FILE })
  version?: number | null;

  @Field(() => String, { nullable: true, description: `${AS_IN_RENDER_FILE} {} by default.` })
  params?: string | null;

  @Field(() => Boolean, { nullable: true, description: AS_IN_RENDER_FILE })
  strict?: boolean | null;

  @Field(() => String, { nullable: true, description: AS_IN_RENDER_FILE })
  locale?: string | null;

  @Field(() => String, { nullable: true, description: AS_IN_RENDER_FILE })
  timeZone?: string | null;

  @Field(() => AttachedPdfInput, { nullable: true, description: AS_IN_RENDER_FILE })
  pdf?: AttachedPdfInput | null;
}
