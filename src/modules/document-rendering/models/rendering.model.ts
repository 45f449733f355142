import { Field, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/bounds/list-size.js';
import { DocumentRenderingSchema } from './schema.js';
import { ContentType, MAX_PARAM_NAMES } from './template.model.js';

@ObjectType('RenderingResult', { registerIn: DocumentRenderingSchema })
export class RenderingResult {
  @Field(() => String, { nullable: true, description: 'Emails only; one line: line breaks became spaces.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: 'At most 10 MiB.' })
  body: string;

  @Field(() => ContentType, { nullable: true })
  contentType: ContentType;

  @MaxItems(MAX_PARAM_NAMES, { counted: 100 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      'The dotted names that the template read and params did not have, sorted, each once. null counts as given; what the ' +
      'default filter supplied is not named; a name inside a loop is named as items[].price.',
  })
  missingParams: string[];

  /** The plain-text alternative of an html email; null for everything else. */
  makeText: () => Promise<string | null>;
}
