import { Field, ID, InputType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from '../models/schema.js';
import { ContentType, TemplateType, MAX_TEXT } from '../models/template.model.js';
import { AuthorInput } from './author.input.js';
import { ChangedAfter } from '../../../common/graphql/types/changed-after.js';
import { asCount } from '../../../common/validation/amounts.js';
import { MAX_COMMENT, MAX_IDS, MAX_NAME } from '../../../common/validation/text.js';
import { DEFAULT_LOCALE, MAX_SAMPLE_PARAMS, MAX_SUBJECT } from '../models/limits.js';
import { MAX_LEVELS } from '../template-language/compiler/composition.js';

const registerIn = DocumentRenderingSchema;

@InputType({ isAbstract: true })
class TemplateFields {
  @Field(() => String, { nullable: true, description: `Emails only; a template of up to ${asCount(MAX_SUBJECT)} characters.` })
  subject?: string | null;

  @Field(() => String, { description: `A template of up to ${asCount(MAX_TEXT)} characters.` })
  body: string;

  @Field(() => ContentType, { description: 'plain only while css and parentCss are null.' })
  contentType: ContentType;

  @Field(() => String, { nullable: true, description: `Up to ${asCount(MAX_COMMENT)} characters.` })
  comment?: string | null;

  @Field(() => AuthorInput, { nullable: true, description: 'Replaces the whole author when given.' })
  author?: AuthorInput | null;

  @Field(() => String, {
    nullable: true,
    description: `html only; local rules that override the parent, up to ${asCount(MAX_TEXT)} characters, without </style.`,
  })
  css?: string | null;

  @Field(() => ID, { nullable: true, description: 'html only; the id of a Css. NOT_FOUND when it is unknown.' })
  parentCssId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'A template of the same type and contentType that has {% block content %}{% endblock %}, where this body goes. Other blocks of ' +
      `this body fill those of their names. At most ${MAX_LEVELS} layouts, one in the other. NOT_FOUND when it is unknown`,
  })
  layoutId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      `The language of the subject and body: an IETF language tag such as de or de-CH, ${DEFAULT_LOCALE} unless given. Its formats are used where a ` +
      'rendering names no locale. BAD_USER_INPUT when there is a translation of that tag.',
  })
  locale?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Params for previews: a JSON object as text, up to ${asCount(MAX_SAMPLE_PARAMS)} characters.`,
  })
  sampleParams?: string | null;
}

@InputType('CreateTemplateInput', { registerIn, description: 'A new template.' })
export class CreateTemplateInput extends TemplateFields {
  @Field(() => String, {
    description: `1 to ${asCount(MAX_NAME)} characters, no control characters; CONFLICT when another template has it.`,
  })
  name: string;

  @Field(() => TemplateType, { description: 'It never changes.' })
  type: TemplateType;
}

@InputType('UpdateTemplateInput', { registerIn, description: 'An absent field stays as it is; null clears it.' })
export class UpdateTemplateInput extends TemplateFields {
  @Field(() => String, {
    nullable: true,
    description: `1 to ${asCount(MAX_NAME)} characters, no control characters; cannot be null. CONFLICT when another template has it.`,
  })
  name?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Cannot be null.' })
  active?: boolean | null;

  @ChangedAfter('template')
  changedAfter?: Date | null;
}

@InputType('TemplateTranslationInput', { registerIn, description: 'A template in another language.' })
export class TemplateTranslationInput {
  @Field(() => String, {
    nullable: true,
    description: `Emails only; a template of up to ${asCount(MAX_SUBJECT)} characters. The subject of the template unless given.`,
  })
  subject?: string | null;

  @Field(() => String, {
    description: `A template of up to ${asCount(MAX_TEXT)} characters, in the contentType of the template.`,
  })
  body: string;

  @Field(() => AuthorInput, { nullable: true, description: 'Who makes the change.' })
  author?: AuthorInput | null;

  @ChangedAfter('translation')
  changedAfter?: Date | null;
}

@InputType('TemplatesFilter', { registerIn, description: 'All given fields must match.' })
export class TemplatesFilter {
  @Field(() => [String], { nullable: 'itemsAndList', description: `Up to ${asCount(MAX_IDS)}; an empty list matches nothing.` })
  ids?: (string | null)[] | null;

  @Field(() => String, { nullable: true, description: 'The whole name, case-sensitive.' })
  name?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'true for active templates only, false for inactive ones only.' })
  active?: boolean | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of a partial or of a layout: only templates that are made of it, through other parts too.',
  })
  partId?: string | null;
}
