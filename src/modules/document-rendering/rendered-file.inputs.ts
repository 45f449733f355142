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
  'Name of a saved HTML template. It receives the params of the document, and page and pages: {{ page }} of {{ pages }}. It needs its ' +
  `own styles, and is printed in the margin. It can show stored files. The rendered HTML has at most ${asCount(MAX_HEADER)} characters, ` +
  `and ${asBytes(MAX_HEADER_WITH_FILES)} with its files, each counted per use.`;
const MARGIN = `must be from 0 to ${MAX_MARGIN_MM} mm`;

const templateName = text({ max: MAX_NAME }).nullish();
const no = z
  .boolean()
  .nullish()
  .transform((given) => given ?? false);

export const PdfInput = input(
  'PdfInput',
  { registerIn, description: 'Print options.' },
  {
    paper: z
      .enum(PaperSize)
      .nullable()
      .default(PaperSize.A4)
      .transform((paper) => paper ?? PaperSize.A4)
      .describe('A4 by default.'),
    landscape: no.describe('If true, pages are wider than high. Default: false.'),
    marginsMm: refusedNullItems(z.array(z.number(MARGIN).min(0, MARGIN).max(MAX_MARGIN_MM, MARGIN)))
      .refine(({ length }) => length === 1 || length === 4, 'must have one number, or four: top, right, bottom, left')
      .nullish()
      .transform((margins) => margins ?? [DEFAULT_MARGIN_MM])
      .describe(
        `Margins in millimetres, 0 to ${MAX_MARGIN_MM}: one for all sides, or four for top, right, bottom, left. ${DEFAULT_MARGIN_MM} by default.`,
      ),
    headerTemplateName: templateName.describe(`Header of each page. ${PART}`),
    footerTemplateName: templateName.describe(`Footer of each page. ${PART}`),
    archival: no.describe('If true, creates a PDF/A-3b for long-term archiving, with an sRGB profile. Default: false.'),
    embed: refusedNullItems(z.array(id(text({ min: 1, max: MAX_NAME }))))
      .max(MAX_EMBEDDED, `must have at most ${MAX_EMBEDDED} files`)
      .refine((ids) => new Set(ids).size === ids.length, 'must name each file once')
      .nullish()
      .transform((ids) => ids ?? [])
      .describe(
        `Ids of stored files to embed under their names, which must be unique: up to ${MAX_EMBEDDED} files with ${asBytes(MAX_EMBEDDED_BYTES)} in total. ` +
          'A file named factur-x.xml makes the PDF a Factur-X and ZUGFeRD invoice.',
      ),
  },
);
export type PdfOptions = Checked<typeof PdfInput>;

// File management checks the values of a file.
const RenderedFileAttributeInput = input(
  'RenderedFileAttributeInput',
  { registerIn, description: 'A name and value stored with the file.' },
  {
    name: z.string().describe(`Unique within its file; 1 to ${asCount(MAX_NAME)} characters.`),
    value: z
      .string()
      .nullish()
      .describe(`Up to ${asCount(MAX_COMMENT)} characters.`),
  },
);

const asInFiles = <R extends z.ZodType>(rule: R): R => rule.describe('Same as in createFile of file management.');
const fileText = asInFiles(z.string().nullish());

const RenderedFileInput = input(
  'RenderedFileInput',
  { registerIn, description: 'Fields of the new file. All are optional.' },
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

// Values other than pdf and idempotencyKey are checked by the services that use them, in order of use.
export const RenderFileInput = input(
  'RenderFileInput',
  { registerIn, description: 'A template, its params, and the new file.' },
  {
    templateName: z.string().nullish().describe('Name of a saved HTML template, else NOT_FOUND. Excludes template.'),
    version: z.int().nullish().describe('Same as in render. Requires templateName.'),
    template: nested(PreviewTemplateInput).nullish().describe('An unsaved HTML template. Excludes templateName.'),
    params: z
      .string()
      .describe(
        `JSON object as text, as in render: at most ${asBytes(MAX_PARAMS)} and ${MAX_PARAMS_DEPTH} levels deep. The HTML with header ` +
          `and footer can show stored files as cid:FILE_ID, up to ${MAX_SHOWN_FILES} with ${asBytes(MAX_SHOWN_BYTES)} in total.`,
      ),
    strict: z.boolean().nullish().describe('Same as in render. Default: false.'),
    locale: z.string().nullish().describe('Same as in render. Also the language of the PDF, unless the HTML sets one.'),
    timeZone: z.string().nullish().describe('Same as in render.'),
    pdf: nested(PdfInput).nullish().describe('Print options.'),
    file: nested(RenderedFileInput).nullish().describe('Fields of the new file.'),
    idempotencyKey: text(KEY_BOUNDS)
      .nullish()
      .describe(
        `1 to ${MAX_IDEMPOTENCY_KEY} characters, stored for ${asHours(KEEP_KEYS_MS)} hours. A repeat with the same input returns the first ` +
          'result without printing again; with other input it is a CONFLICT.',
      ),
  },
);
export type RenderFileInput = Given<typeof RenderFileInput>;
