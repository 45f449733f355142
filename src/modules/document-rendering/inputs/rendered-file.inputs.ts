import { Field, Float, ID, InputType, Int } from '@nestjs/graphql';
import { KEEP_KEYS_MS, MAX_IDEMPOTENCY_KEY } from '../../../common/idempotency/idempotency-key.js';
import { asBytes, asCount, asHours } from '../../../common/validation/amounts.js';
import { MAX_COMMENT, MAX_NAME } from '../../../common/validation/text.js';
import {
  DEFAULT_MARGIN_MM,
  MAX_EMBEDDED,
  MAX_EMBEDDED_BYTES,
  MAX_HEADER,
  MAX_HEADER_WITH_FILES,
  MAX_MARGIN_MM,
  MAX_PARAMS,
  MAX_PARAMS_DEPTH,
  MAX_SHOWN_BYTES,
  MAX_SHOWN_FILES,
} from '../models/limits.js';
import { PaperSize } from '../models/rendered-file.model.js';
import { DocumentRenderingSchema } from '../models/schema.js';
import { AuthorInput } from './author.input.js';
import { PreviewTemplateInput } from './rendering.inputs.js';

const registerIn = DocumentRenderingSchema;
const PART =
  'A saved template of HTML. It is given the params of the document, and page and pages: {{ page }} of {{ pages }}. It has styles of its ' +
  `own, and stands in the margin. It shows stored files as the document does; rendered it has at most ${asCount(MAX_HEADER)} characters, ` +
  `and ${asBytes(MAX_HEADER_WITH_FILES)} with the files that it shows, each as often as it does.`;
const AS_IN_FILES = 'As createFile of file management takes it.';

@InputType('PdfInput', { registerIn, description: 'How a document is printed.' })
export class PdfInput {
  @Field(() => PaperSize, { nullable: true, defaultValue: PaperSize.A4, description: 'A4 unless given.' })
  paper?: PaperSize | null;

  @Field(() => Boolean, { nullable: true, description: 'true for pages that are wider than high. false unless given.' })
  landscape?: boolean | null;

  @Field(() => [Float], {
    nullable: 'itemsAndList',
    description: `Millimetres, 0 to ${MAX_MARGIN_MM}: one for all sides, or four for top, right, bottom and left. ${DEFAULT_MARGIN_MM} unless given.`,
  })
  marginsMm?: (number | null)[] | null;

  @Field(() => String, { nullable: true, description: `At the top of each page. ${PART}` })
  headerTemplateName?: string | null;

  @Field(() => String, { nullable: true, description: `At the bottom of each page. ${PART}` })
  footerTemplateName?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'true for a PDF to keep for years: PDF/A-3b, with a profile of sRGB. false unless given.',
  })
  archival?: boolean | null;

  @Field(() => [ID], {
    nullable: 'itemsAndList',
    description:
      `Stored files of the tenant to embed under their names, each name once: up to ${MAX_EMBEDDED} with ${asBytes(MAX_EMBEDDED_BYTES)} together. ` +
      'One that is called factur-x.xml makes the PDF an invoice of Factur-X and ZUGFeRD.',
  })
  embed?: (string | null)[] | null;
}

@InputType('RenderedFileAttributeInput', { registerIn, description: 'A name and value to keep with the file.' })
class RenderedFileAttributeInput {
  @Field(() => String, { description: `Unique within its file; 1 to ${asCount(MAX_NAME)} characters.` })
  name: string;

  @Field(() => String, { nullable: true, description: `Up to ${asCount(MAX_COMMENT)} characters.` })
  value?: string | null;
}

@InputType('RenderedFileInput', { registerIn, description: 'The file to make. All fields can be left out.' })
export class RenderedFileInput {
  @Field(() => String, { nullable: true, description: AS_IN_FILES })
  name?: string | null;

  @Field(() => String, { nullable: true, description: AS_IN_FILES })
  comment?: string | null;

  @Field(() => AuthorInput, { nullable: true, description: AS_IN_FILES })
  author?: AuthorInput | null;

  @Field(() => String, { nullable: true, description: AS_IN_FILES })
  externalReference?: string | null;

  @Field(() => [RenderedFileAttributeInput], { nullable: 'itemsAndList', description: AS_IN_FILES })
  attributes?: RenderedFileAttributeInput[] | null;

  @Field(() => Int, { nullable: true, description: AS_IN_FILES })
  expiresIn?: number | null;

  @Field(() => Boolean, { nullable: true, description: AS_IN_FILES })
  public?: boolean;

  @Field(() => String, { nullable: true, description: AS_IN_FILES })
  cacheControl?: string | null;
}

@InputType('RenderFileInput', { registerIn, description: 'A template, its params, and the file to make of them.' })
export class RenderFileInput {
  @Field(() => String, { nullable: true, description: 'A saved template of HTML, else NOT_FOUND. This or template.' })
  templateName?: string | null;

  @Field(() => Int, { nullable: true, description: 'With templateName only: as in render.' })
  version?: number | null;

  @Field(() => PreviewTemplateInput, {
    nullable: true,
    description: 'A template of HTML that is not saved. This or templateName.',
  })
  template?: PreviewTemplateInput | null;

  @Field(() => String, {
    description:
      `As in render: a JSON object as text, at most ${asBytes(MAX_PARAMS)} and ${MAX_PARAMS_DEPTH} levels deep. The HTML, with its header ` +
      `and footer, shows stored files of the tenant as cid:FILE_ID, up to ${MAX_SHOWN_FILES} with ${asBytes(MAX_SHOWN_BYTES)} together.`,
  })
  params: string;

  @Field(() => Boolean, { nullable: true, description: 'As in render. false unless given.' })
  strict?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'As in render. It becomes the language of the PDF where the HTML names none.',
  })
  locale?: string | null;

  @Field(() => String, { nullable: true, description: 'As in render.' })
  timeZone?: string | null;

  @Field(() => PdfInput, { nullable: true, description: 'How it is printed.' })
  pdf?: PdfInput | null;

  @Field(() => RenderedFileInput, { nullable: true, description: 'The file to make.' })
  file?: RenderedFileInput | null;

  @Field(() => String, {
    nullable: true,
    description:
      `1 to ${MAX_IDEMPOTENCY_KEY} characters, kept for ${asHours(KEEP_KEYS_MS)} hours. A repeat with the same input returns the first ` +
      'result and prints nothing; with other input it is a CONFLICT.',
  })
  idempotencyKey?: string | null;
}
