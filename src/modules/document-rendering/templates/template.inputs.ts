import { z } from 'zod';
import { changedAfter } from '../../../common/graphql/types/changed-after.js';
import { type Given, id, input, nested } from '../../../common/graphql/types/input.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';
import { MAX_COMMENT, MAX_IDS, MAX_NAME, text } from '../../../common/base/text.js';
import { AuthorInput } from '../models/author.model.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { ContentType, MAX_TEXT, TemplateType } from '../models/template.model.js';
import { DEFAULT_LOCALE, MAX_INCLUDED, MAX_PARTIAL, MAX_PARTIAL_NAME, MAX_SAMPLE_PARAMS, MAX_SUBJECT } from '../models/limits.js';
import { localeRules } from '../rendering/locales.js';
import { faultInParams } from '../rendering/params.js';
import { MAX_LEVELS } from '../template-language/compiler/composition.js';

const registerIn = DocumentRenderingSchema;
const NAME = `1 to ${asCount(MAX_NAME)} characters, no control characters`;

const name = text({ min: 1, max: MAX_NAME }).refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters');

/** Refuses the end tag of a style element, since any HTML could follow it. */
const stylesheet = text({ max: MAX_TEXT }).refine(
  (value) => !/<\/style/i.test(value),
  'must not contain </style; write \\3c/style where a string needs it',
);

/** Author of a change. The current one is unchanged if omitted. */
export const newAuthor = nested(AuthorInput).nullish().describe('Replaces the whole author.');

const cssFields = {
  text: stylesheet.nullish().describe(`CSS rules, up to ${asCount(MAX_TEXT)} characters; must not contain </style.`),
  author: newAuthor,
};

export const CreateCssInput = input(
  'CreateCssInput',
  { registerIn, description: 'A new stylesheet.' },
  { ...cssFields, name: name.describe(`${NAME}; need not be unique.`) },
);
export type CreateCssInput = Given<typeof CreateCssInput>;

export const UpdateCssInput = input(
  'UpdateCssInput',
  { registerIn, description: 'Changed fields. Omitted fields are unchanged; null clears a field.' },
  { ...cssFields, changedAfter: changedAfter('stylesheet') },
);
export type UpdateCssInput = Given<typeof UpdateCssInput>;

/** Filter fields shared by stylesheets, partials and templates. */
const named = {
  ids: z
    .array(text({ max: MAX_NAME }).nullable())
    .max(MAX_IDS, `must have at most ${MAX_IDS} ids`)
    .transform((ids) => ids.filter((one) => one !== null))
    .nullish()
    .describe(`Up to ${asCount(MAX_IDS)}; an empty list matches nothing.`),
  name: text({ max: MAX_NAME }).nullish().describe('Complete name, case-sensitive.'),
};

export const CssFilter = input('CssFilter', { registerIn, description: 'All given fields must match.' }, named);
export type CssFilter = Given<typeof CssFilter>;

const PARTIAL_NAME = `1 to ${MAX_PARTIAL_NAME} letters, digits, spaces and any of _ . / -`;

/** Excludes quotes and backslashes, since names are quoted in tags. */
const partialName = text({ min: 1, max: MAX_PARTIAL_NAME }).refine(
  (value) => /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ ./-]*$/u.test(value),
  'must contain only letters, digits, spaces and any of _ . / -, and begin with a letter, a digit or _',
);
const partialBody = text({ max: MAX_PARTIAL }).describe(
  `A template of up to ${asCount(MAX_PARTIAL)} characters, without blocks.`,
);

export const CreatePartialInput = input(
  'CreatePartialInput',
  { registerIn, description: 'A new partial.' },
  {
    name: partialName.describe(`${PARTIAL_NAME}; CONFLICT if another partial has it. Immutable.`),
    contentType: z.enum(ContentType).describe('Content type of the templates that can include it. Immutable.'),
    body: partialBody,
    author: nested(AuthorInput).nullish().describe('Author of the change.'),
  },
);
export type CreatePartialInput = Given<typeof CreatePartialInput>;

export const UpdatePartialInput = input(
  'UpdatePartialInput',
  { registerIn, description: 'Changed fields. An omitted author is unchanged; null clears it.' },
  { body: partialBody, author: newAuthor, changedAfter: changedAfter('partial') },
);
export type UpdatePartialInput = Given<typeof UpdatePartialInput>;

export const PartialsFilter = input('PartialsFilter', { registerIn, description: 'All given fields must match.' }, named);
export type PartialsFilter = Given<typeof PartialsFilter>;

const PreviewPartialInput = input(
  'PreviewPartialInput',
  { registerIn, description: 'An unsaved partial, for a preview.' },
  { name: partialName.describe(`${PARTIAL_NAME}. Replaces a saved partial with this name.`), body: partialBody },
);

export const previewPartialsRules = z
  .array(nested(PreviewPartialInput).nullable())
  .max(MAX_INCLUDED, `must have at most ${MAX_INCLUDED} partials`)
  .superRefine((partials, context) => {
    const seen = new Set<string>();
    partials.forEach((partial, index) => {
      if (partial === null) return;
      if (seen.has(partial.name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must be unique among the partials' });
      seen.add(partial.name);
    });
  })
  .transform((partials) => partials.filter((partial) => partial !== null));

const SUBJECT = `Template of the subject, for emails only; up to ${asCount(MAX_SUBJECT)} characters.`;
const BODY = `Template of the body, up to ${asCount(MAX_TEXT)} characters`;

const subject = text({ max: MAX_SUBJECT }).nullish();
const body = text({ max: MAX_TEXT });
const contentType = z.enum(ContentType);
const css = stylesheet.nullish();
const partId = id(text({ max: MAX_NAME })).nullish();
const locale = localeRules.nullish();

const sampleParams = text({ max: MAX_SAMPLE_PARAMS }).superRefine((value, context) => {
  const message = faultInParams(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** Fields except the name, which is checked first. */
const fields = {
  subject: subject.describe(SUBJECT),
  body: body.describe(`${BODY}.`),
  contentType: contentType.describe('Format of the body; plain requires css and parentCss to be null.'),
  comment: text({ max: MAX_COMMENT })
    .nullish()
    .describe(`Up to ${asCount(MAX_COMMENT)} characters.`),
  author: newAuthor,
  css: css.describe(`CSS rules that override the parent, up to ${asCount(MAX_TEXT)} characters without </style; html only.`),
  parentCssId: partId.describe('Id of a stylesheet, else NOT_FOUND; html only.'),
  layoutId: partId.describe(
    'Id of a template of the same type and contentType with {% block content %}{% endblock %}, which this body fills. Other blocks of ' +
      `this body fill those of the same name. At most ${MAX_LEVELS} nested layouts. NOT_FOUND if it is unknown`,
  ),
  locale: locale.describe(
    `Language of subject and body: an IETF language tag such as de or de-CH, ${DEFAULT_LOCALE} by default. Also the format of a ` +
      'rendering without a locale. BAD_USER_INPUT if a translation has that tag.',
  ),
  sampleParams: sampleParams
    .nullish()
    .describe(`Params for previews: a JSON object as text, up to ${asCount(MAX_SAMPLE_PARAMS)} characters.`),
};

export const CreateTemplateInput = input(
  'CreateTemplateInput',
  { registerIn, description: 'A new template.' },
  {
    name: name.describe(`${NAME}; CONFLICT if another template has it.`),
    ...fields,
    type: z.enum(TemplateType).describe('Type of the template; immutable.'),
  },
);
export type CreateTemplateInput = Given<typeof CreateTemplateInput>;

export const UpdateTemplateInput = input(
  'UpdateTemplateInput',
  { registerIn, description: 'Changed fields. Omitted fields are unchanged; null clears a field.' },
  {
    name: name.optional().describe(`${NAME}; cannot be null. CONFLICT if another template has it.`),
    ...fields,
    active: z
      .boolean('must be true or false')
      .optional()
      .describe('Flag for the application, ignored by rendering; cannot be null.'),
    changedAfter: changedAfter('template'),
  },
);
export type UpdateTemplateInput = Given<typeof UpdateTemplateInput>;

export const TemplateTranslationInput = input(
  'TemplateTranslationInput',
  { registerIn, description: 'Subject and body of a template in another language.' },
  {
    subject: subject.describe(`${SUBJECT} Defaults to the subject of the template.`),
    body: body.describe(`${BODY}, in the contentType of the template.`),
    author: nested(AuthorInput).nullish().describe('Author of the change.'),
    changedAfter: changedAfter('translation'),
  },
);
export type TemplateTranslationInput = Given<typeof TemplateTranslationInput>;

export const TemplatesFilter = input(
  'TemplatesFilter',
  { registerIn, description: 'All given fields must match.' },
  {
    ...named,
    active: z.boolean().nullish().describe('If set, selects only templates with this value of active.'),
    partId: partId.describe('Id of a partial or layout: selects templates that use it, directly or through other parts.'),
  },
);
export type TemplatesFilter = Given<typeof TemplatesFilter>;

export const PreviewTemplateInput = input(
  'PreviewTemplateInput',
  { registerIn, description: 'An unsaved template, with the rules of createTemplate.' },
  {
    type: z.enum(TemplateType).describe('Type of the template: email or document.'),
    subject: subject.describe('Template of the subject, for emails only.'),
    body: body.describe(`Template of the body, at most ${asBytes(MAX_TEXT)}.`),
    contentType: contentType.describe('Format of the body: HTML or plain text.'),
    css: css.describe('CSS rules that follow those of the parent; html only.'),
    parentCssId: partId.describe('Id of a stylesheet, else NOT_FOUND; html only.'),
    layoutId: partId.describe('Id of the layout template, else NOT_FOUND.'),
    locale: locale.describe('Language of subject and body, as in createTemplate.'),
  },
);
