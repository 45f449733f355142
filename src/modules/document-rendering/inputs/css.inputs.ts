import { Field, InputType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from '../models/schema.js';
import { AuthorInput } from './author.input.js';

const registerIn = DocumentRenderingSchema;

@InputType({ isAbstract: true })
class CssFields {
  @Field(() => String, { nullable: true, description: 'The rules, up to 1,048,576 characters; must not contain </style.' })
  text?: string | null;

  @Field(() => AuthorInput, { nullable: true, description: 'Replaces the whole author when given.' })
  author?: AuthorInput | null;
}

@InputType('CreateCssInput', { registerIn, description: 'A new stylesheet.' })
export class CreateCssInput extends CssFields {
  @Field(() => String, { description: '1 to 1,024 characters, no control characters; need not be unique.' })
  name: string;
}

@InputType('UpdateCssInput', { registerIn, description: 'An absent field stays as it is; null clears it.' })
export class UpdateCssInput extends CssFields {}

@InputType('CssFilter', { registerIn, description: 'All given fields must match.' })
export class CssFilter {
  @Field(() => [String], { nullable: 'itemsAndList', description: 'Up to 1,000; an empty list matches nothing.' })
  ids?: (string | null)[] | null;

  @Field(() => String, { nullable: true, description: 'The whole name, case-sensitive.' })
  name?: string | null;
}
