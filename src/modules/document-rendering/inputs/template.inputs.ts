import { Field, ID, InputType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from '../models/schema.js';
import { ContentType, TemplateType } from '../models/template.model.js';
import { AuthorInput } from './author.input.js';

const registerIn = DocumentRenderingSchema;

@InputType({ isAbstract: true })
class TemplateFields {
  @Field(() => String, { nullable: true, description: 'Emails only; a template of up to 4,096 characters.' })
  subject?: string | null;

  @Field(() => String, { description: 'A template of up to 1,048,576 characters.' })
  body: string;

  @Field(() => ContentType, { description: 'plain only while css and parentCss are null.' })
  contentType: ContentType;

  @Field(() => String, { nullable: true, description: 'Up to 4,096 characters.' })
  comment?: string | null;

  @Field(() => AuthorInput, { nullable: true, description: 'Replaces the whole author when given.' })
  author?: AuthorInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'html only; local rules that override the parent, up to 1,048,576 characters, without </style.',
  })
  css?: string | null;

  @Field(() => ID, { nullable: true, description: 'html only; the id of a Css. NOT_FOUND when it is unknown.' })
  parentCssId?: string | null;
}

@InputType('CreateTemplateInput', { registerIn, description: 'A new template.' })
export class CreateTemplateInput extends TemplateFields {
  @Field(() => String, { description: '1 to 1,024 characters, no control characters; CONFLICT when another template has it.' })
  name: string;

  @Field(() => TemplateType, { description: 'It never changes.' })
  type: TemplateType;
}

@InputType('UpdateTemplateInput', { registerIn, description: 'An absent field stays as it is; null clears it.' })
export class UpdateTemplateInput extends TemplateFields {
  @Field(() => String, {
    nullable: true,
    description: '1 to 1,024 characters, no control characters; cannot be null. CONFLICT when another template has it.',
  })
  name?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Cannot be null.' })
  active?: boolean | null;
}

@InputType('TemplatesFilter', { registerIn, description: 'All given fields must match.' })
export class TemplatesFilter {
  @Field(() => [String], { nullable: 'itemsAndList', description: 'Up to 1,000; an empty list matches nothing.' })
  ids?: (string | null)[] | null;

  @Field(() => String, { nullable: true, description: 'The whole name, case-sensitive.' })
  name?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'true for active templates only, false for inactive ones only.' })
  active?: boolean | null;
}
