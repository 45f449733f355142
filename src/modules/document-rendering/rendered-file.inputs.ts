import { z } from 'zod';
import { type Checked, type Given, id, input, nested, refusedNullItems } from '../../common/graphql/types/input.js';
import { KEEP_KEYS_MS, KEY_BOUNDS, MAX_IDEMPOTENCY_KEY } from '../../common/idempotency/idempotency-key.js';
import { asBytes, asCount, asHours } from '../../common/base/amounts.js';
import { MAX_COMMENT, MAX_NAME, text } from '../../common/base/text.js';
import { AuthorInput } from './models/author.model.js';
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
} from './models/limits.js';
import { PaperSize } from './models/rendered-file.model.js';
import { DocumentRenderingSchema } from '../../common/graphql/types/schemas.js';
import { PreviewTemplateInput } from './templates/template.inputs.js';

const registerIn = DocumentRenderingSchema;
const PART =
  'A saved template of HTML. It is given the params of the document, and page and pages: {{ page }} of {{ pages }}. It has styles of its ' +
  `own, and stands in the margin. It shows stored files as the document does; rendered it has at most ${asCount(MAX_HEADER)} characters, ` +
  `and ${asBytes(MAX_HEADER_WITH_FILES)} with the files that it shows, each as often as it does.`;
const MARGIN = `must be from 0 to ${MAX_MARGIN_MM} mm`;

const templateName = text({ max: MAX_NAME }).nullish();
const no = z
  .boolean()
  .nullish()
  .transform((given) => given ?? false);

export const PdfInput = input(
  'PdfInput',
  { registerIn, description: 'How a document is printed.' },
  {
    paper: z
      .enum(PaperSize)
      .nullable()
      .default(PaperSize.A4)
      .transform((paper) => paper ?? PaperSize.A4)
      .describe('A4 unless given.'),
    landscape: no.describe('true for pages that are wider than high. false unless given.'),
    marginsMm: refusedNullItems(z.array(z.number(MARGIN).min(0, MARGIN).max(MAX_MARGIN_MM, MARGIN)))
      .refine(({ length }) => length === 1 || length === 4, 'must have one number, or four: top, right, bottom and left')
      .nullish()
      .transform((margins) => margins ?? [DEFAULT_MARGIN_MM])
      .describe(
        `Millimetres, 0 to ${MAX_MARGIN_MM}: one for all sides, or four for top, right, bottom and left. ${DEFAULT_MARGIN_MM} unless given.`,
      ),
    headerTemplateName: templateName.describe(`At the top of each page. ${PART}`),
    footerTemplateName: templateName.describe(`At the bottom of each page. ${PART}`),
    archival: no.describe('true for a PDF to keep for years: PDF/A-3b, with a profile of sRGB. false unless given.'),
    embed: refusedNullItems(z.array(id(text({ min: 1, max: MAX_NAME }))))
      .max(MAX_EMBEDDED, `must have at most ${MAX_EMBEDDED} files`)
      .refine((ids) => new Set(ids).size === ids.length, 'must name each file once')
      .nullish()
      .transform((ids) => ids ?? [])
      .describe(
        `Stored files of the tenant to embed under their names, each name once: up to ${MAX_EMBEDDED} with ${asBytes(MAX_EMBEDDED_BYTES)} together. ` +
          'One that is called factur-x.xml makes the PDF an invoice of Factur-X and ZUGFeRD.',
      ),
  },
);
export type PdfOptions = Checked<typeof PdfInput>;

// File management checks the values of a file, by its own rules.
const RenderedFileAttributeInput = input(
  'RenderedFileAttributeInput',
  { registerIn, description: 'A name and value to keep with the file.' },
  {
    name: z.string().describe(`Unique within its file; 1 to ${asCount(MAX_NAME)} characters.`),
    value: z
      .string()
      .nullish()
      .describe(`Up to ${asCount(MAX_COMMENT)} characters.`),
  },
);

const asInFiles = <R extends z.ZodType>(rule: R): R => rule.describe('As createFile of file management takes it.');
const fileText = asInFiles(z.string().nullish());

const RenderedFileInput = input(
  'RenderedFileInput',
  { registerIn, description: 'The file to make. All fields can be left out.' },
  {
    name: fileText,
    comment: fileText,
    author: asInFiles(nested(AuthorInput).nullish()),
    externalReference: fileText,
    attributes: asInFiles(refusedNullItems(z.array(nested(RenderedFileAttributeInput))).nullish()),
    expiresIn: asInFiles(z.int().nullish()),
    public: asInFiles(z.boolean().optional()),
    cacheControl: fileText,
  },
);

// Values other than pdf and idempotencyKey are checked by the services that use them, in the order of their use.
export const RenderFileInput = input(
  'RenderFileInput',
  { registerIn, description: 'A template, its params, and the file to make of them.' },
  {
    templateName: z.string().nullish().describe('A saved template of HTML, else NOT_FOUND. This or template.'),
    version: z.int().nullish().describe('With templateName only: as in render.'),
    template: nested(PreviewTemplateInput).nullish().describe('A template of HTML that is not saved. This or templateName.'),
    params: z
      .string()
      .describe(
        `As in render: a JSON object as text, at most ${asBytes(MAX_PARAMS)} and ${MAX_PARAMS_DEPTH} levels deep. The HTML, with its header ` +
          `and footer, shows stored files of the tenant as cid:FILE_ID, up to ${MAX_SHOWN_FILES} with ${asBytes(MAX_SHOWN_BYTES)} together.`,
      ),
    strict: z.boolean().nullish().describe('As in render. false unless given.'),
    locale: z.string().nullish().describe('As in render. It becomes the language of the PDF where the HTML names none.'),
    timeZone: z.string().nullish().describe('As in render.'),
    pdf: nested(PdfInput).nullish().describe('How it is printed.'),
    file: nested(RenderedFileInput).nullish().describe('The file to make.'),
    idempotencyKey: text(KEY_BOUNDS)
      .nullish()
      .describe(
        `1 to ${MAX_IDEMPOTENCY_KEY} characters, kept for ${asHours(KEEP_KEYS_MS)} hours. A repeat with the same input returns the first ` +
          'result and prints nothing; with other input it is a CONFLICT.',
      ),
  },
);
export type RenderFileInput = Given<typeof RenderFileInput>;
