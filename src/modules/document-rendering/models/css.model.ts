import { Field, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from './author.model.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentRenderingSchema;

/** Default page size of stylesheets and templates. */
export const DEFAULT_PAGE = 1_000;

@ObjectType('Css', { registerIn, description: 'A stylesheet shared by html templates.' })
export class Css {
  @Field(() => String, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Name; need not be unique.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'CSS rules; null if none were set.' })
  text: string | null;

  @Field(() => Author, { nullable: true, description: 'Author of the last change; null if none was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'Creation time.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last change of a field.' })
  updatedAt: Date;

  /** True if it is of the parent tenant. */
  inherited?: boolean;
}

@ObjectType('CssResult', { registerIn, description: 'A page of stylesheets.' })
export class CssResult extends pageOf(Css, {
  nextToken: 'Pass it, with the same filter, to get the next page; null at the end.',
  byDefault: DEFAULT_PAGE,
}) {}
