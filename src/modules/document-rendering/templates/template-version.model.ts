import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from '../models/author.model.js';
import { MAX_VERSIONS } from '../models/limits.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { ContentType } from '../models/template.model.js';

const registerIn = DocumentRenderingSchema;

@ObjectType('TemplateVersion', { registerIn, description: 'A template as one save left it. It never changes.' })
export class TemplateVersion {
  @Field(() => Int, { nullable: true, description: 'The number of the save, from 1; render takes it.' })
  version: number;

  @Field(() => ContentType, { nullable: true, description: 'Whether the body is HTML or plain text.' })
  contentType: ContentType;

  @Field(() => String, { nullable: true, description: 'Emails only; null when there was none.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: 'The source, as it was saved.' })
  body: string;

  @Field(() => String, { nullable: true, description: 'Local rules; html only.' })
  css: string | null;

  @Field(() => ID, { nullable: true, description: 'The shared stylesheet, which may have changed or gone since.' })
  parentCssId: string | null;

  @Field(() => ID, { nullable: true, description: 'The layout, which may have changed or gone since.' })
  layoutId: string | null;

  @Field(() => String, { nullable: true, description: 'The language of the texts; null when none was named.' })
  locale: string | null;

  @Field(() => String, { nullable: true, description: 'A JSON object as text; null when there was none.' })
  sampleParams: string | null;

  @Field(() => String, { nullable: true, description: 'The comment of the template then.' })
  comment: string | null;

  @Field(() => Author, { nullable: true, description: 'Who saved it; null when nobody was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was saved.' })
  createdAt: Date;
}

@ObjectType('TemplateVersionsResult', { registerIn, description: 'A page of versions.' })
export class TemplateVersionsResult extends pageOf(TemplateVersion, {
  items: 'The items of this page, the newest first.',
  nextToken: 'Pass it back, with the same name, for the next page; null at the end.',
  max: MAX_VERSIONS,
}) {}
