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

/** Refuses the end tag of a style element: the browser ends the style there, so any HTML could follow. */
const stylesheet = text({ max: MAX_TEXT }).refine(
  (value) => !/<\/style/i.test(value),
  'must not contain </style; write \\3c/style where a string needs it',
);

/** The author of a change that keeps the author before if none is given. */
export const newAuthor = nested(AuthorInput).nullish().describe('Replaces the whole author when given.');

const cssFields = {
  text: stylesheet.nullish().describe(`The rules, up to ${asCount(MAX_TEXT)} characters; must not contain </style.`),
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
  { registerIn, description: 'An absent field stays as it is; null clears it.' },
  { ...cssFields, changedAfter: changedAfter('stylesheet') },
);
export type UpdateCssInput = Given<typeof UpdateCssInput>;

/** The fields that filters of stylesheets, partials and templates have. */
const named = {
  ids: z
    .array(text({ max: MAX_NAME }).nullable())
    .max(MAX_IDS, `must have at most ${MAX_IDS} ids`)
    .transform((ids) => ids.filter((one) => one !== null))
    .nullish()
    .describe(`Up to ${asCount(MAX_IDS)}; an empty list matches nothing.`),
  name: text({ max: MAX_NAME }).nullish().describe('The whole name, case-sensitive.'),
};

export const CssFilter = input('CssFilter', { registerIn, description: 'All given fields must match.' }, named);
export type CssFilter = Given<typeof CssFilter>;

const PARTIAL_NAME = `1 to ${MAX_PARTIAL_NAME} letters, digits, spaces and any of _ . / -`;

/** A name stands in quotes in a tag, so it has neither quotes nor backslashes. */
const partialName = text({ min: 1, max: MAX_PARTIAL_NAME }).refine(
  (value) => /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ ./-]*$/u.test(value),
  'must have letters, digits, spaces and any of _ . / - only, and begin with a letter, a digit or _',
);
const partialBody = text({ max: MAX_PARTIAL }).describe(
  `A template of up to ${asCount(MAX_PARTIAL)} characters, without blocks.`,
);

export const CreatePartialInput = input(
  'CreatePartialInput',
  { registerIn, description: 'A new partial.' },
  {
    name: partialName.describe(`${PARTIAL_NAME}; CONFLICT when another partial has it. It never changes.`),
    contentType: z.enum(ContentType).describe('The content type of the templates that can include it. It never changes.'),
    body: partialBody,
    author: nested(AuthorInput).nullish().describe('Who makes the change.'),
  },
);
export type CreatePartialInput = Given<typeof CreatePartialInput>;

export const UpdatePartialInput = input(
  'UpdatePartialInput',
  { registerIn, description: 'An absent author stays as it is; null clears it.' },
  { body: partialBody, author: newAuthor, changedAfter: changedAfter('partial') },
);
export type UpdatePartialInput = Given<typeof UpdatePartialInput>;

export const PartialsFilter = input('PartialsFilter', { registerIn, description: 'All given fields must match.' }, named);
export type PartialsFilter = Given<typeof PartialsFilter>;

const PreviewPartialInput = input(
  'PreviewPartialInput',
  { registerIn, description: 'A partial that is not saved, for a preview.' },
  { name: partialName.describe(`${PARTIAL_NAME}. A saved partial with this name is not used.`), body: partialBody },
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

const SUBJECT = `Emails only; a template of up to ${asCount(MAX_SUBJECT)} characters.`;
const BODY = `A template of up to ${asCount(MAX_TEXT)} characters`;

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
    name: name.describe(`${NAME}; CONFLICT when another template has it.`),
    ...fields,
    type: z.enum(TemplateType).describe('It never changes.'),
  },
);
export type CreateTemplateInput = Given<typeof CreateTemplateInput>;

export const UpdateTemplateInput = input(
  'UpdateTemplateInput',
  { registerIn, description: 'An absent field stays as it is; null clears it.' },
  {
    name: name.optional().describe(`${NAME}; cannot be null. CONFLICT when another template has it.`),
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
