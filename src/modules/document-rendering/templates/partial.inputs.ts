import { z } from 'zod';
import { changedAfter } from '../../../common/graphql/types/changed-after.js';
import { type Given, input, nested } from '../../../common/graphql/types/input.js';
import { asCount } from '../../../common/validation/amounts.js';
import { text } from '../../../common/validation/text.js';
import { AuthorInput } from '../models/author.model.js';
import { MAX_INCLUDED, MAX_PARTIAL, MAX_PARTIAL_NAME } from '../models/limits.js';
import { DocumentRenderingSchema } from '../models/schema.js';
import { ContentType } from '../models/template.model.js';
import { named, newAuthor } from './css.inputs.js';

const registerIn = DocumentRenderingSchema;
const NAME = `1 to ${MAX_PARTIAL_NAME} letters, digits, spaces and any of _ . / -`;

/** A name stands in quotes in a tag, so it has neither quotes nor backslashes. */
const name = text({ min: 1, max: MAX_PARTIAL_NAME }).refine(
  (value) => /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ ./-]*$/u.test(value),
  'must have letters, digits, spaces and any of _ . / - only, and begin with a letter, a digit or _',
);
const body = text({ max: MAX_PARTIAL }).describe(`A template of up to ${asCount(MAX_PARTIAL)} characters, without blocks.`);

export const CreatePartialInput = input(
  'CreatePartialInput',
  { registerIn, description: 'A new partial.' },
  {
    name: name.describe(`${NAME}; CONFLICT when another partial has it. It never changes.`),
    contentType: z.enum(ContentType).describe('The content type of the templates that can include it. It never changes.'),
    body,
    author: nested(AuthorInput).nullish().describe('Who makes the change.'),
  },
);
export type CreatePartialInput = Given<typeof CreatePartialInput>;

export const UpdatePartialInput = input(
  'UpdatePartialInput',
  { registerIn, description: 'An absent author stays as it is; null clears it.' },
  { body, author: newAuthor, changedAfter: changedAfter('partial') },
);
export type UpdatePartialInput = Given<typeof UpdatePartialInput>;

export const PartialsFilter = input('PartialsFilter', { registerIn, description: 'All given fields must match.' }, named);
export type PartialsFilter = Given<typeof PartialsFilter>;

const PreviewPartialInput = input(
  'PreviewPartialInput',
  { registerIn, description: 'A partial that is not saved, for a preview.' },
  { name: name.describe(`${NAME}. A saved partial with this name is not used.`), body },
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
