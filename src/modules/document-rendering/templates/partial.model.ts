import { Field, ID, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from '../models/author.model.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { ContentType } from '../models/template.model.js';

const registerIn = DocumentRenderingSchema;

@ObjectType('Partial', { registerIn, description: 'A text that templates include by name: {% include "name" %}.' })
export class TemplatePartial {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Unique within the tenant, case-sensitive; immutable.' })
  name: string;

  @Field(() => ContentType, {
    nullable: true,
    description: 'Content type of the templates that can include it; immutable.',
  })
  contentType: ContentType;

  @Field(() => String, { nullable: true, description: 'Source of the partial.' })
  body: string;

  @Field(() => Author, { nullable: true, description: 'Author of the last change; null if none was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'Creation time.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last change of a field.' })
  updatedAt: Date;

  /** True if it is of the parent tenant. */
  inherited?: boolean;
}

@ObjectType('PartialsResult', { registerIn, description: 'A page of partials.' })
export class PartialsResult extends pageOf(TemplatePartial, {
  nextToken: 'Pass it, with the same filter, to get the next page; null at the end.',
  byDefault: DEFAULT_PAGE,
}) {}
