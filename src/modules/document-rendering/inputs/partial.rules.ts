import { z } from 'zod';
import { authorRules } from '../../../common/validation/author.js';
import { text } from '../../../common/validation/text.js';
import { MAX_INCLUDED, MAX_PARTIAL, MAX_PARTIAL_NAME } from '../models/limits.js';
import { ContentType } from '../models/template.model.js';
import { changedAfterRules } from '../../../common/graphql/types/changed-after.js';
import { cssFilterRules } from './css.rules.js';

/** A name stands in quotes in a tag, so it has neither quotes nor backslashes. */
const partialNameRules = text({ min: 1, max: MAX_PARTIAL_NAME }).refine(
  (value) => /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ ./-]*$/u.test(value),
  'must have letters, digits, spaces and any of _ . / - only, and begin with a letter, a digit or _',
);
const body = text({ max: MAX_PARTIAL });

export const createPartialRules = z.strictObject({
  name: partialNameRules,
  contentType: z.enum(ContentType),
  body,
  author: authorRules.nullish(),
});

export const updatePartialRules = z.strictObject({
  body,
  author: authorRules.nullish(),
  changedAfter: changedAfterRules,
});

export const previewPartialsRules = z
  .array(z.strictObject({ name: partialNameRules, body }).nullable())
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

export const partialsFilterRules = cssFilterRules;
