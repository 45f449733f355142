import { Field, InputType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from '../models/schema.js';
import { AuthorInput } from './author.input.js';
import { ChangedAfter } from '../../../common/graphql/types/changed-after.js';
import { asCount } from '../../../common/validation/amounts.js';
import { MAX_IDS, MAX_NAME } from '../../../common/validation/text.js';
import { MAX_TEXT } from '../models/template.model.js';

const registerIn = DocumentRenderingSchema;

@InputType({ isAbstract: true })
class CssFields {
  @Field(() => String, {
    nullable: true,
    description: `The rules, up to ${asCount(MAX_TEXT)} characters; must not contain </style.`,
  })
  text?: string | null;

  @Field(() => AuthorInput, { nullable: true, description: 'Replaces the whole author when given.' })
  author?: AuthorInput | null;
}

@InputType('CreateCssInput', { registerIn, description: 'A new stylesheet.' })
export class CreateCssInput extends CssFields {
  @Field(() => String, { description: `1 to ${asCount(MAX_NAME)} characters, no control characters; need not be unique.` })
  name: string;
}

@InputType('UpdateCssInput', { registerIn, description: 'An absent field stays as it is; null clears it.' })
export class UpdateCssInput extends CssFields {
  @ChangedAfter('stylesheet')
  changedAfter?: Date | null;
}

@InputType('CssFilter', { registerIn, description: 'All given fields must match.' })
export class CssFilter {
  @Field(() => [String], { nullable: 'itemsAndList', description: `Up to ${asCount(MAX_IDS)}; an empty list matches nothing.` })
  ids?: (string | null)[] | null;

  @Field(() => String, { nullable: true, description: 'The whole name, case-sensitive.' })
  name?: string | null;
}
