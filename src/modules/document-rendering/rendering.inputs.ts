import { z } from 'zod';
import { type Given, input, nested } from '../../common/graphql/types/input.js';
import { asBytes, asCount } from '../../common/base/amounts.js';
import { MAX_INCLUDED, MAX_PARAMS, MAX_PARAMS_DEPTH, MAX_VERSIONS, MAX_VERSIONS_SIZE } from './models/limits.js';
import { DocumentRenderingSchema } from '../../common/graphql/types/schemas.js';
import { previewPartialsRules, PreviewTemplateInput } from './templates/template.inputs.js';

const registerIn = DocumentRenderingSchema;

// Values other than the template and its partials are checked by RenderingService, in the order in which it needs them.
const fields = {
  params: z
    .string()
    .describe(
      `A JSON object as text, at most ${asBytes(MAX_PARAMS)} and ${MAX_PARAMS_DEPTH} levels deep: parameter names and their ` +
        'values, well-formed Unicode without the NUL character. Nested objects are read by dotted names.',
    ),
  strict: z
    .boolean()
    .nullish()
    .describe(
      'true refuses the rendering with BAD_USER_INPUT when a parameter is missing or a warning was noted. false unless given.',
    ),
  locale: z
    .string()
    .nullish()
    .describe(
      'The language of the texts, which a lookup finds, and of numbers, dates, lists and plurals: an IETF language tag such as de-CH, else ' +
        'BAD_USER_INPUT. That of the template without it; English patterns where the template names none.',
    ),
  timeZone: z
    .string()
    .nullish()
    .describe(
      'The zone of times: an IANA name such as Europe/Zurich, else BAD_USER_INPUT. UTC by default. A date without a time stays as it is.',
    ),
};

export const PreviewInput = input(
  'PreviewInput',
  { registerIn, description: 'A template that is not saved, and its params.' },
  {
    template: nested(PreviewTemplateInput).describe('The template to render.'),
    partials: previewPartialsRules
      .nullish()
      .describe(`Partials that are not saved, at most ${MAX_INCLUDED}. They have the content type of the template.`),
    ...fields,
  },
);
export type PreviewInput = Given<typeof PreviewInput>;

export const RenderingInput = input(
  'RenderingInput',
  { registerIn, description: 'A saved template, and its params.' },
  {
    templateName: z.string().describe('Of a saved template of the tenant, else NOT_FOUND.'),
    version: z
      .int()
      .nullish()
      .describe(
        'One of templateVersions, for a document as it was approved: the template with its stylesheets, layouts, partials and translations as ' +
          `they were when it was saved. The present ones unless given. NOT_FOUND when it is not kept: the last ${MAX_VERSIONS} are, up to ` +
          `${asCount(MAX_VERSIONS_SIZE)} characters together.`,
      ),
    ...fields,
  },
);
export type RenderingInput = Given<typeof RenderingInput>;
