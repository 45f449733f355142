import { Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { MAX_WARNINGS } from '../template-language/result/warnings.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { ContentType, MAX_PARAM_NAMES } from './template.model.js';
import { asBytes } from '../../../common/base/amounts.js';
import { MAX_OUTPUT } from '../template-language/result/refusal.js';

const registerIn = DocumentRenderingSchema;
/** Number of warnings assumed in the cost of an operation. */
const ORDINARY_WARNINGS = 10;

export enum TemplateField {
  subject = 'subject',
  body = 'body',
}
registerEnumType(TemplateField, {
  name: 'TemplateField',
  registerIn,
  description: 'Text of a template.',
  valuesMap: { subject: { description: 'Subject of an email.' }, body: { description: 'Body.' } },
});

@ObjectType('RenderingWarning', { registerIn, description: 'A value that was replaced or omitted.' })
export class RenderingWarning {
  @Field(() => String, {
    nullable: true,
    description: 'Parameter path as in missingParams, such as items[].price. Null for a value that is not a parameter.',
  })
  path: string | null;

  @Field(() => TemplateField, { nullable: true, description: 'Text that line and column refer to.' })
  field: TemplateField;

  @Field(() => String, {
    nullable: true,
    description: 'Partial that line and column refer to; null outside partials.',
  })
  partialName: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Layout that line and column refer to; null for the template itself.',
  })
  layoutName: string | null;

  @Field(() => Int, { nullable: true, description: 'Line of the value, from 1.' })
  line: number;

  @Field(() => Int, { nullable: true, description: 'Column of the value, from 1, in UTF-16 units.' })
  column: number;

  @Field(() => String, { nullable: true, description: 'Change made to the value, and the reason.' })
  reason: string;
}

@ObjectType('RenderingResult', { registerIn, description: 'Result of a rendering.' })
export class RenderingResult {
  @Field(() => String, { nullable: true, description: 'Subject, for emails only. Line breaks are replaced by spaces.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: `Rendered body, at most ${asBytes(MAX_OUTPUT)}.` })
  body: string;

  @Field(() => ContentType, { nullable: true, description: 'Format of the body: HTML or plain text.' })
  contentType: ContentType;

  @Field(() => String, {
    nullable: true,
    description: 'Language of the texts, found by RFC 4647 lookup: de-CH, then de, then the language of the template itself.',
  })
  locale: string;

  @MaxItems(MAX_PARAM_NAMES, { counted: 100 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      'Dotted names that the template read but params lack, sorted and unique. Excludes null values and names with a ' +
      'default filter. A name inside a loop is listed as items[].price.',
  })
  missingParams: string[];

  @MaxItems(MAX_WARNINGS, { counted: ORDINARY_WARNINGS })
  @Field(() => [RenderingWarning], {
    nullable: 'itemsAndList',
    description:
      'Values that were replaced or omitted: an unsafe URL replaced by #, an invalid CSS value, an unreadable date or ' +
      'number, an object in place of a text or list. In output order, subject first. One entry per position ' +
      `and parameter, up to ${MAX_WARNINGS}.`,
  })
  warnings: RenderingWarning[];

  /** Language of the document, if known: that of its texts, or the requested one. */
  language: string | undefined;

  /** Returns the plain-text alternative of an html email, and null otherwise. */
  makeText: () => Promise<string | null>;
}
