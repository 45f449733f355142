import { z } from 'zod';
import { type Given, input, nested } from '../../common/graphql/types/input.js';
import { asBytes, asCount } from '../../common/base/amounts.js';
import { MAX_INCLUDED, MAX_PARAMS, MAX_PARAMS_DEPTH, MAX_VERSIONS, MAX_VERSIONS_SIZE } from './models/limits.js';
import { DocumentRenderingSchema } from '../../common/graphql/types/schemas.js';
import { previewPartialsRules, PreviewTemplateInput } from './templates/template.inputs.js';

const registerIn = DocumentRenderingSchema;

// RenderingService checks the other values, in order of use.
const fields = {
  params: z
    .string()
    .describe(
      `JSON object as text, at most ${asBytes(MAX_PARAMS)} and ${MAX_PARAMS_DEPTH} levels deep: parameter names and their ` +
        'values, in well-formed Unicode without NUL. Dotted names read nested objects.',
    ),
  strict: z
    .boolean()
    .nullish()
    .describe('If true, a missing parameter or a warning fails the rendering with BAD_USER_INPUT. Default: false.'),
  locale: z
    .string()
    .nullish()
    .describe(
      'Language of the texts, and format of numbers, dates, lists and plurals: an IETF language tag such as de-CH, else ' +
        'BAD_USER_INPUT. Defaults to the locale of the template, then to English.',
    ),
  timeZone: z
    .string()
    .nullish()
    .describe(
      'Time zone: an IANA name such as Europe/Zurich, else BAD_USER_INPUT. UTC by default. Dates without a time are not converted.',
    ),
};

export const PreviewInput = input(
  'PreviewInput',
  { registerIn, description: 'An unsaved template and its params.' },
  {
    template: nested(PreviewTemplateInput).describe('Template to render.'),
    partials: previewPartialsRules
      .nullish()
      .describe(`Up to ${MAX_INCLUDED} unsaved partials, with the content type of the template.`),
    ...fields,
  },
);
export type PreviewInput = Given<typeof PreviewInput>;

export const RenderingInput = input(
  'RenderingInput',
  { registerIn, description: 'A saved template and its params.' },
  {
    templateName: z.string().describe('Name of a saved template, else NOT_FOUND.'),
    version: z
      .int()
      .nullish()
      .describe(
        'Version from templateVersions, such as an approved one: the template with its stylesheets, layouts, partials and translations at the ' +
          `time of its save. The current state by default. NOT_FOUND for an unknown version: the last ${MAX_VERSIONS} are stored, up to ` +
          `${asCount(MAX_VERSIONS_SIZE)} characters in total.`,
      ),
    ...fields,
  },
);
export type RenderingInput = Given<typeof RenderingInput>;
