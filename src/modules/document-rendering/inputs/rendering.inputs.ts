import { Field, ID, InputType, Int } from '@nestjs/graphql';
import { DocumentRenderingSchema } from '../models/schema.js';
import { ContentType, TemplateType, MAX_TEXT } from '../models/template.model.js';
import { asBytes, asCount } from '../../../common/validation/amounts.js';
import { MAX_INCLUDED, MAX_PARAMS, MAX_PARAMS_DEPTH, MAX_VERSIONS, MAX_VERSIONS_SIZE } from '../models/limits.js';
import { PreviewPartialInput } from './partial.inputs.js';

const registerIn = DocumentRenderingSchema;
const PARAMS =
  `A JSON object as text, at most ${asBytes(MAX_PARAMS)} and ${MAX_PARAMS_DEPTH} levels deep: parameter names and their ` +
  'values, well-formed Unicode without the NUL character. Nested objects are read by dotted names.';
const STRICT =
  'true refuses the rendering with BAD_USER_INPUT when a parameter is missing or a warning was noted. false unless given.';

const LOCALE =
  'The language of the texts, which a lookup finds, and of numbers, dates, lists and plurals: an IETF language tag such as de-CH, else ' +
  'BAD_USER_INPUT. That of the template without it; English patterns where the template names none.';
const VERSION =
  'One of templateVersions, for a document as it was approved: the template with its stylesheets, layouts, partials and translations as ' +
  `they were when it was saved. The present ones unless given. NOT_FOUND when it is not kept: the last ${MAX_VERSIONS} are, up to ` +
  `${asCount(MAX_VERSIONS_SIZE)} characters together.`;
const TIME_ZONE =
  'The zone of times: an IANA name such as Europe/Zurich, else BAD_USER_INPUT. UTC by default. A date without a time stays as it is.';

@InputType('PreviewTemplateInput', { registerIn, description: 'The rules are those of createTemplate.' })
export class PreviewTemplateInput {
  @Field(() => TemplateType, { description: 'Whether the template is of emails or documents.' })
  type: TemplateType;

  @Field(() => String, { nullable: true, description: 'Emails only.' })
  subject?: string | null;

  @Field(() => String, { description: `At most ${asBytes(MAX_TEXT)}.` })
  body: string;

  @Field(() => ContentType, { description: 'Whether the body is HTML or plain text.' })
  contentType: ContentType;

  @Field(() => String, { nullable: true, description: 'Local rules, which come after those of the parent; html only.' })
  css?: string | null;

  @Field(() => ID, { nullable: true, description: 'A stylesheet of the tenant, else NOT_FOUND; html only.' })
  parentCssId?: string | null;

  @Field(() => ID, { nullable: true, description: 'A template of the tenant that is the layout of this one, else NOT_FOUND.' })
  layoutId?: string | null;

  @Field(() => String, { nullable: true, description: 'The language of the subject and body, as in createTemplate.' })
  locale?: string | null;
}

@InputType('PreviewInput', { registerIn, description: 'A template that is not saved, and its params.' })
export class PreviewInput {
  @Field(() => PreviewTemplateInput, { description: 'The template to render.' })
  template: PreviewTemplateInput;

  @Field(() => [PreviewPartialInput], {
    nullable: 'itemsAndList',
    description: `Partials that are not saved, at most ${MAX_INCLUDED}. They have the content type of the template.`,
  })
  partials?: (PreviewPartialInput | null)[] | null;

  @Field(() => String, { description: PARAMS })
  params: string;

  @Field(() => Boolean, { nullable: true, description: STRICT })
  strict?: boolean | null;

  @Field(() => String, { nullable: true, description: LOCALE })
  locale?: string | null;

  @Field(() => String, { nullable: true, description: TIME_ZONE })
  timeZone?: string | null;
}

@InputType('RenderingInput', { registerIn, description: 'A saved template, and its params.' })
export class RenderingInput {
  @Field(() => String, { description: 'Of a saved template of the tenant, else NOT_FOUND.' })
  templateName: string;

  @Field(() => Int, { nullable: true, description: VERSION })
  version?: number | null;

  @Field(() => String, { description: PARAMS })
  params: string;

  @Field(() => Boolean, { nullable: true, description: STRICT })
  strict?: boolean | null;

  @Field(() => String, { nullable: true, description: LOCALE })
  locale?: string | null;

  @Field(() => String, { nullable: true, description: TIME_ZONE })
  timeZone?: string | null;
}
