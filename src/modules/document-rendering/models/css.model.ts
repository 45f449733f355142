import { Field, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from './author.model.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentRenderingSchema;

/** The default limit of a page of stylesheets or templates. */
export const DEFAULT_PAGE = 1_000;

@ObjectType('Css', { registerIn, description: 'A stylesheet that html templates share as their parent.' })
export class Css {
  @Field(() => String, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Need not be unique.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'The rules; null when none were given.' })
  text: string | null;

  @Field(() => Author, { nullable: true, description: 'Who made the last change; null when nobody was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'The last change of a field.' })
  updatedAt: Date;
}

@ObjectType('CssResult', { registerIn, description: 'A page of stylesheets.' })
export class CssResult extends pageOf(Css, {
  nextToken: 'Pass it back, with the same filter, for the next page; null at the end.',
  byDefault: DEFAULT_PAGE,
}) {}
