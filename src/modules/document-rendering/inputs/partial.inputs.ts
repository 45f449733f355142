import { Field, InputType } from '@nestjs/graphql';
import { asCount } from '../../../common/validation/amounts.js';
import { MAX_IDS } from '../../../common/validation/text.js';
import { MAX_PARTIAL, MAX_PARTIAL_NAME } from '../models/limits.js';
import { DocumentRenderingSchema } from '../models/schema.js';
import { ContentType } from '../models/template.model.js';
import { AuthorInput } from './author.input.js';
import { ChangedAfter } from '../../../common/graphql/types/changed-after.js';

const registerIn = DocumentRenderingSchema;
const BODY = `A template of up to ${asCount(MAX_PARTIAL)} characters, without blocks.`;
const NAME = `1 to ${MAX_PARTIAL_NAME} letters, digits, spaces and any of _ . / -`;

@InputType('CreatePartialInput', { registerIn, description: 'A new partial.' })
export class CreatePartialInput {
  @Field(() => String, { description: `${NAME}; CONFLICT when another partial has it. It never changes.` })
  name: string;

  @Field(() => ContentType, { description: 'The content type of the templates that can include it. It never changes.' })
  contentType: ContentType;

  @Field(() => String, { description: BODY })
  body: string;

  @Field(() => AuthorInput, { nullable: true, description: 'Who makes the change.' })
  author?: AuthorInput | null;
}

@InputType('UpdatePartialInput', { registerIn, description: 'An absent author stays as it is; null clears it.' })
export class UpdatePartialInput {
  @Field(() => String, { description: BODY })
  body: string;

  @Field(() => AuthorInput, { nullable: true, description: 'Replaces the whole author when given.' })
  author?: AuthorInput | null;

  @ChangedAfter('partial')
  changedAfter?: Date | null;
}

@InputType('PartialsFilter', { registerIn, description: 'All given fields must match.' })
export class PartialsFilter {
  @Field(() => [String], { nullable: 'itemsAndList', description: `Up to ${asCount(MAX_IDS)}; an empty list matches nothing.` })
  ids?: (string | null)[] | null;

  @Field(() => String, { nullable: true, description: 'The whole name, case-sensitive.' })
  name?: string | null;
}

@InputType('PreviewPartialInput', { registerIn, description: 'A partial that is not saved, for a preview.' })
export class PreviewPartialInput {
  @Field(() => String, { description: `${NAME}. A saved partial with this name is not used.` })
  name: string;

  @Field(() => String, { description: BODY })
  body: string;
}
