import { z } from 'zod';
import { changedAfter } from '../../../common/graphql/types/changed-after.js';
import { type Given, input, nested } from '../../../common/graphql/types/input.js';
import { asCount } from '../../../common/validation/amounts.js';
import { MAX_IDS, MAX_NAME, text } from '../../../common/validation/text.js';
import { AuthorInput } from '../models/author.model.js';
import { DocumentRenderingSchema } from '../models/schema.js';
import { MAX_TEXT } from '../models/template.model.js';

const registerIn = DocumentRenderingSchema;

export const NAME = `1 to ${asCount(MAX_NAME)} characters, no control characters`;

export const nameRules = text({ min: 1, max: MAX_NAME }).refine(
  (value) => !/\p{Cc}/u.test(value),
  'must not contain control characters',
);

/** Refuses the end tag of a style element: the browser ends the style there, so any HTML could follow. */
export const stylesheetRules = text({ max: MAX_TEXT }).refine(
  (value) => !/<\/style/i.test(value),
  'must not contain </style; write \\3c/style where a string needs it',
);

/** The author of a change that keeps the author before if none is given. */
export const newAuthor = nested(AuthorInput).nullish().describe('Replaces the whole author when given.');

const fields = {
  text: stylesheetRules.nullish().describe(`The rules, up to ${asCount(MAX_TEXT)} characters; must not contain </style.`),
  author: newAuthor,
};

export const CreateCssInput = input(
  'CreateCssInput',
  { registerIn, description: 'A new stylesheet.' },
  { ...fields, name: nameRules.describe(`${NAME}; need not be unique.`) },
);
export type CreateCssInput = Given<typeof CreateCssInput>;

export const UpdateCssInput = input(
  'UpdateCssInput',
  { registerIn, description: 'An absent field stays as it is; null clears it.' },
  { ...fields, changedAfter: changedAfter('stylesheet') },
);
export type UpdateCssInput = Given<typeof UpdateCssInput>;

/** The fields that filters of stylesheets, partials and templates have. */
export const named = {
  ids: z
    .array(text({ max: MAX_NAME }).nullable())
    .max(MAX_IDS, `must have at most ${MAX_IDS} ids`)
    .transform((ids) => ids.filter((id) => id !== null))
    .nullish()
    .describe(`Up to ${asCount(MAX_IDS)}; an empty list matches nothing.`),
  name: text({ max: MAX_NAME }).nullish().describe('The whole name, case-sensitive.'),
};

export const CssFilter = input('CssFilter', { registerIn, description: 'All given fields must match.' }, named);
export type CssFilter = Given<typeof CssFilter>;
