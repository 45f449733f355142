import { z } from 'zod';
import { authorRules } from '../../../common/validation/author.js';
import { MAX_NAME, text, MAX_IDS } from '../../../common/validation/text.js';
import { MAX_TEXT } from '../models/template.model.js';
import { changedAfterRules } from '../../../common/graphql/types/changed-after.js';

export const nameRules = text({ min: 1, max: MAX_NAME }).refine(
  (value) => !/\p{Cc}/u.test(value),
  'must not contain control characters',
);

/** Refuses the end tag of a style element: the browser ends the style there, so any HTML could follow. */
export const stylesheetRules = text({ max: MAX_TEXT }).refine(
  (value) => !/<\/style/i.test(value),
  'must not contain </style; write \\3c/style where a string needs it',
);

const idsRules = z
  .array(text({ max: MAX_NAME }).nullable())
  .max(MAX_IDS, `must have at most ${MAX_IDS} ids`)
  .transform((ids) => ids.filter((id) => id !== null));

const fields = { text: stylesheetRules.nullish(), author: authorRules.nullish() };

export const createCssRules = z.strictObject({ ...fields, name: nameRules });

export const updateCssRules = z.strictObject({ ...fields, changedAfter: changedAfterRules });

export const cssFilterRules = z.strictObject({ ids: idsRules.nullish(), name: text({ max: MAX_NAME }).nullish() });
