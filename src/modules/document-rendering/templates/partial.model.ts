import { Field, ID, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from '../models/author.model.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { ContentType } from '../models/template.model.js';

const registerIn = DocumentRenderingSchema;

@ObjectType('Partial', { registerIn, description: 'A text that templates include by its name: {% include "name" %}.' })
export class TemplatePartial {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Unique within the tenant, case-sensitive; permanent.' })
  name: string;

  @Field(() => ContentType, {
    nullable: true,
    description: 'Templates include partials of their own content type. It never changes.',
  })
  contentType: ContentType;

  @Field(() => String, { nullable: true, description: 'The source, as it was saved.' })
  body: string;

  @Field(() => Author, { nullable: true, description: 'Who made the last change; null when nobody was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'The last change of a field.' })
  updatedAt: Date;
}

@ObjectType('PartialsResult', { registerIn, description: 'A page of partials.' })
export class PartialsResult extends pageOf(TemplatePartial, {
  nextToken: 'Pass it back, with the same filter, for the next page; null at the end.',
  byDefault: DEFAULT_PAGE,
}) {}
