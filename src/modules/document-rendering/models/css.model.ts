import { Field, ObjectType } from '@nestjs/graphql';
import { PageItems } from '../../../common/bounds/list-size.js';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { MAX_LIMIT } from '../../../common/graphql/page.js';
import { Author } from './author.model.js';
import { DocumentRenderingSchema } from './schema.js';

const registerIn = DocumentRenderingSchema;

/** What a page of stylesheets or templates holds when no limit is given. */
export const DEFAULT_PAGE = 1_000;

@ObjectType('Css', { registerIn, description: 'A stylesheet that html templates share as their parent.' })
export class Css {
  @Field(() => String, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Need not be unique.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'The rules; null when none were given.' })
  text: string | null;

  @Field(() => Author, { nullable: true })
  author: Author | null;

  @Field(() => DateTime, { nullable: true })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'The last change of a field.' })
  updatedAt: Date;
}

@ObjectType('CssResult', { registerIn })
export class CssResult {
  @PageItems(MAX_LIMIT, DEFAULT_PAGE)
  @Field(() => [Css], { nullable: 'itemsAndList' })
  items: Css[];

  @Field(() => String, { nullable: true, description: 'Give it back, with the same filter, for the next page; null at the end.' })
  nextToken: string | null;
}
