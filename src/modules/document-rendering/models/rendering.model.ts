import { Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { MAX_WARNINGS } from '../template-language/result/warnings.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { ContentType, MAX_PARAM_NAMES } from './template.model.js';
import { asBytes } from '../../../common/base/amounts.js';
import { MAX_OUTPUT } from '../template-language/result/refusal.js';

const registerIn = DocumentRenderingSchema;
/** How many warnings of a rendering are assumed in the cost of an operation. */
const ORDINARY_WARNINGS = 10;

export enum TemplateField {
  subject = 'subject',
  body = 'body',
}
registerEnumType(TemplateField, {
  name: 'TemplateField',
  registerIn,
  description: 'A text of a template.',
  valuesMap: { subject: { description: 'The subject of an email.' }, body: { description: 'The body.' } },
});

@ObjectType('RenderingWarning', { registerIn, description: 'A value that was replaced or left out.' })
export class RenderingWarning {
  @Field(() => String, {
    nullable: true,
    description: 'The parameter, named as in missingParams, such as items[].price. null for a value of no parameter.',
  })
  path: string | null;

  @Field(() => TemplateField, { nullable: true, description: 'The text of the template that line and column refer to.' })
  field: TemplateField;

  @Field(() => String, {
    nullable: true,
    description: 'The partial whose body line and column refer to; null outside of partials.',
  })
  partialName: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The layout whose body line and column refer to; null for the template itself.',
  })
  layoutName: string | null;

  @Field(() => Int, { nullable: true, description: 'Where the value begins in that source, from 1.' })
  line: number;

  @Field(() => Int, { nullable: true, description: 'Where the value begins in that line, from 1, in UTF-16 units.' })
  column: number;

  @Field(() => String, { nullable: true, description: 'How the value was replaced or left out, and why.' })
  reason: string;
}

@ObjectType('RenderingResult', { registerIn, description: 'The result of a rendering.' })
export class RenderingResult {
  @Field(() => String, { nullable: true, description: 'Emails only; one line: line breaks became spaces.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: `At most ${asBytes(MAX_OUTPUT)}.` })
  body: string;

  @Field(() => ContentType, { nullable: true, description: 'Whether the body is HTML or plain text.' })
  contentType: ContentType;

  @Field(() => String, {
    nullable: true,
    description:
      'The language of the texts that were taken, by the lookup of RFC 4647: de-CH, then de, then the language of the template itself.',
  })
  locale: string;

  @MaxItems(MAX_PARAM_NAMES, { counted: 100 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      'The dotted names that the template read and params did not have, sorted, each once. null counts as given; what the ' +
      'default filter supplied is not named; a name inside a loop is named as items[].price.',
  })
  missingParams: string[];

  @MaxItems(MAX_WARNINGS, { counted: ORDINARY_WARNINGS })
  @Field(() => [RenderingWarning], {
    nullable: 'itemsAndList',
    description:
      'The values that were replaced or left out: an address that became #, a value that CSS cannot hold, a date or a number ' +
      'that could not be read, an object where a text or a list belongs. In the order of the output, the subject first. Each ' +
      `place is named once for each parameter, and the first ${MAX_WARNINGS} are named.`,
  })
  warnings: RenderingWarning[];

  /** The language of the document if it is known: that of its texts, or that which was asked for. */
  language: string | undefined;

  /** Makes the plain-text alternative of an html email, and null for everything else. */
  makeText: () => Promise<string | null>;
}
