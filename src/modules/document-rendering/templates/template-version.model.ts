import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from '../models/author.model.js';
import { MAX_VERSIONS } from '../models/limits.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { ContentType } from '../models/template.model.js';

const registerIn = DocumentRenderingSchema;

@ObjectType('TemplateVersion', { registerIn, description: 'State of a template after one save; immutable.' })
export class TemplateVersion {
  @Field(() => Int, { nullable: true, description: 'Number of the save, from 1. Use it as version of render.' })
  version: number;

  @Field(() => ContentType, { nullable: true, description: 'Format of the body: HTML or plain text.' })
  contentType: ContentType;

  @Field(() => String, { nullable: true, description: 'Source of the subject, for emails only; null if none was set.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: 'Source of the body.' })
  body: string;

  @Field(() => String, { nullable: true, description: 'CSS rules of the template; html only.' })
  css: string | null;

  @Field(() => ID, { nullable: true, description: 'Id of the shared stylesheet, which may have changed or been deleted since.' })
  parentCssId: string | null;

  @Field(() => ID, { nullable: true, description: 'Id of the layout, which may have changed or been deleted since.' })
  layoutId: string | null;

  @Field(() => String, { nullable: true, description: 'Language of the texts; null if none was set.' })
  locale: string | null;

  @Field(() => String, { nullable: true, description: 'Params for previews, as a JSON object in text; null if none were set.' })
  sampleParams: string | null;

  @Field(() => String, { nullable: true, description: 'Comment of the template at that time.' })
  comment: string | null;

  @Field(() => Author, { nullable: true, description: 'Author of the save; null if none was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the save.' })
  createdAt: Date;
}

@ObjectType('TemplateVersionsResult', { registerIn, description: 'A page of versions.' })
export class TemplateVersionsResult extends pageOf(TemplateVersion, {
  items: 'Items of this page, newest first.',
  nextToken: 'Pass it, with the same name, to get the next page; null at the end.',
  max: MAX_VERSIONS,
}) {}
