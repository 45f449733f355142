import { z } from 'zod';
import { changedAfter } from '../../../common/graphql/types/changed-after.js';
import { type Given, id, input, nested } from '../../../common/graphql/types/input.js';
import { asBytes, asCount } from '../../../common/validation/amounts.js';
import { MAX_COMMENT, MAX_NAME, text } from '../../../common/validation/text.js';
import { AuthorInput } from '../models/author.model.js';
import { DEFAULT_LOCALE, MAX_SAMPLE_PARAMS, MAX_SUBJECT } from '../models/limits.js';
import { DocumentRenderingSchema } from '../models/schema.js';
import { ContentType, MAX_TEXT, TemplateType } from '../models/template.model.js';
import { localeRules } from '../rendering/locales.js';
import { faultInParams } from '../rendering/params.js';
import { MAX_LEVELS } from '../template-language/compiler/composition.js';
import { NAME, named, nameRules, newAuthor, stylesheetRules } from './css.inputs.js';

const registerIn = DocumentRenderingSchema;
const SUBJECT = `Emails only; a template of up to ${asCount(MAX_SUBJECT)} characters.`;
const BODY = `A template of up to ${asCount(MAX_TEXT)} characters`;

const subject = text({ max: MAX_SUBJECT }).nullish();
const body = text({ max: MAX_TEXT });
const contentType = z.enum(ContentType);
const css = stylesheetRules.nullish();
const partId = id(text({ max: MAX_NAME })).nullish();
const locale = localeRules.nullish();

const sampleParams = text({ max: MAX_SAMPLE_PARAMS }).superRefine((value, context) => {
  const message = faultInParams(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** All fields but the name, which comes first when they are checked. */
const fields = {
  subject: subject.describe(SUBJECT),
  body: body.describe(`${BODY}.`),
  contentType: contentType.describe('plain only while css and parentCss are null.'),
  comment: text({ max: MAX_COMMENT })
    .nullish()
    .describe(`Up to ${asCount(MAX_COMMENT)} characters.`),
  author: newAuthor,
  css: css.describe(`html only; local rules that override the parent, up to ${asCount(MAX_TEXT)} characters, without </style.`),
  parentCssId: partId.describe('html only; the id of a Css. NOT_FOUND when it is unknown.'),
  layoutId: partId.describe(
    'A template of the same type and contentType that has {% block content %}{% endblock %}, where this body goes. Other blocks of ' +
      `this body fill those of their names. At most ${MAX_LEVELS} layouts, one in the other. NOT_FOUND when it is unknown`,
  ),
  locale: locale.describe(
    `The language of the subject and body: an IETF language tag such as de or de-CH, ${DEFAULT_LOCALE} unless given. Its formats are used where a ` +
      'rendering names no locale. BAD_USER_INPUT when there is a translation of that tag.',
  ),
  sampleParams: sampleParams
    .nullish()
    .describe(`Params for previews: a JSON object as text, up to ${asCount(MAX_SAMPLE_PARAMS)} characters.`),
};

export const CreateTemplateInput = input(
  'CreateTemplateInput',
  { registerIn, description: 'A new template.' },
  {
    name: nameRules.describe(`${NAME}; CONFLICT when another template has it.`),
    ...fields,
    type: z.enum(TemplateType).describe('It never changes.'),
  },
);
export type CreateTemplateInput = Given<typeof CreateTemplateInput>;

export const UpdateTemplateInput = input(
  'UpdateTemplateInput',
  { registerIn, description: 'An absent field stays as it is; null clears it.' },
  {
    name: nameRules.optional().describe(`${NAME}; cannot be null. CONFLICT when another template has it.`),
    ...fields,
    active: z.boolean('must be true or false').optional().describe('Cannot be null.'),
    changedAfter: changedAfter('template'),
  },
);
export type UpdateTemplateInput = Given<typeof UpdateTemplateInput>;

export const TemplateTranslationInput = input(
  'TemplateTranslationInput',
  { registerIn, description: 'A template in another language.' },
  {
    subject: subject.describe(`${SUBJECT} The subject of the template unless given.`),
    body: body.describe(`${BODY}, in the contentType of the template.`),
    author: nested(AuthorInput).nullish().describe('Who makes the change.'),
    changedAfter: changedAfter('translation'),
  },
);
export type TemplateTranslationInput = Given<typeof TemplateTranslationInput>;

export const TemplatesFilter = input(
  'TemplatesFilter',
  { registerIn, description: 'All given fields must match.' },
  {
    ...named,
    active: z.boolean().nullish().describe('true for active templates only, false for inactive ones only.'),
    partId: partId.describe('The id of a partial or of a layout: only templates that are made of it, through other parts too.'),
  },
);
export type TemplatesFilter = Given<typeof TemplatesFilter>;

export const PreviewTemplateInput = input(
  'PreviewTemplateInput',
  { registerIn, description: 'The rules are those of createTemplate.' },
  {
    type: z.enum(TemplateType).describe('Whether the template is of emails or documents.'),
    subject: subject.describe('Emails only.'),
    body: body.describe(`At most ${asBytes(MAX_TEXT)}.`),
    contentType: contentType.describe('Whether the body is HTML or plain text.'),
    css: css.describe('Local rules, which come after those of the parent; html only.'),
    parentCssId: partId.describe('A stylesheet of the tenant, else NOT_FOUND; html only.'),
    layoutId: partId.describe('A template of the tenant that is the layout of this one, else NOT_FOUND.'),
    locale: locale.describe('The language of the subject and body, as in createTemplate.'),
  },
);
