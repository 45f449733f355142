import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from './author.model.js';
import { Css, DEFAULT_PAGE } from './css.model.js';
import { DEFAULT_LOCALE } from './limits.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentRenderingSchema;

/** Maximum length of a body or stylesheet, in UTF-16 units. */
export const MAX_TEXT = 1_048_576;
/** Maximum number of names in a template. Each takes at least two units of source, including a separator. */
export const MAX_PARAM_NAMES = MAX_TEXT / 2;

/** Number of characters by which names are sorted; both databases count code points. */
export const SORTED_CHARACTERS = 100;

export enum TemplateType {
  email = 'email',
  document = 'document',
}
registerEnumType(TemplateType, {
  name: 'TemplateType',
  registerIn,
  description: 'Purpose of a template.',
  valuesMap: {
    email: { description: 'Email with a subject. Stylesheets are also inlined into style attributes, for mail clients.' },
    document: { description: 'Document without a subject.' },
  },
});

export enum TemplatesOrder {
  OLDEST = 'OLDEST',
  NAME = 'NAME',
  RECENTLY_UPDATED = 'RECENTLY_UPDATED',
}
registerEnumType(TemplatesOrder, {
  name: 'TemplatesOrder',
  registerIn,
  description: 'Sort order of templates.',
  valuesMap: {
    OLDEST: { description: 'By creation time, earliest first.' },
    NAME: { description: `By the first ${SORTED_CHARACTERS} characters of the name, ordered by code points.` },
    RECENTLY_UPDATED: { description: 'By updatedAt, latest first.' },
  },
});

export enum ContentType {
  plain = 'plain',
  html = 'html',
}
registerEnumType(ContentType, {
  name: 'ContentType',
  registerIn,
  description: 'Format of a body.',
  valuesMap: {
    plain: { description: 'Plain text, without escaping and stylesheets.' },
    html: { description: 'HTML. Parameters are escaped.' },
  },
});

@ObjectType('TemplateTranslation', { registerIn, description: 'Subject and body of a template in another language.' })
export class TemplateTranslation {
  @Field(() => String, { nullable: true, description: 'IETF language tag in canonical form; unique within its template.' })
  locale: string;

  @Field(() => String, { nullable: true, description: 'Subject, for emails only; null to use the subject of the template.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: 'Source of the body.' })
  body: string;

  @Field(() => Author, { nullable: true, description: 'Author of the last change; null if none was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'Creation time.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last change of a field.' })
  updatedAt: Date;

  /** Loads the names read by the template but not by this translation. */
  loadUnusedParams: () => Promise<string[]>;
}

@ObjectType('Template', { registerIn, description: 'A saved email or document template.' })
export class Template {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, {
    nullable: true,
    description: 'Name for render; unique within the tenant, case-sensitive.',
  })
  name: string;

  @Field(() => String, { nullable: true, description: 'email or document; immutable.' })
  type: TemplateType;

  @Field(() => Boolean, { nullable: true, description: 'Flag for the application; true by default. Rendering ignores it.' })
  active: boolean;

  @Field(() => String, { nullable: true, description: 'Source of the subject, for emails only; null if none was set.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: 'Source of the body.' })
  body: string;

  @Field(() => String, { nullable: true, description: 'CSS rules that follow those of parentCss; html only.' })
  css: string | null;

  @Field(() => Css, { nullable: true, description: 'Shared stylesheet; html only.' })
  parentCss: Css | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Template whose blocks this one fills; the body fills its block content. Null without a layout.',
  })
  layoutId: string | null;

  @Field(() => ContentType, { nullable: true, description: 'Format of the body: HTML or plain text.' })
  contentType: ContentType;

  @Field(() => String, {
    nullable: true,
    description: `Language of subject and body, as an IETF language tag. ${DEFAULT_LOCALE} by default.`,
  })
  locale: string;

  @Field(() => String, {
    nullable: true,
    description: 'Params for previews, as a JSON object in text; null if none were set.',
  })
  sampleParams: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of the last save, from 1. Counts saves of fields and of translations.',
  })
  version: number;

  @Field(() => String, { nullable: true, description: 'Free text set by the application.' })
  comment: string | null;

  @Field(() => Author, { nullable: true, description: 'Author of the last change; null if none was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'Creation time.' })
  createdAt: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the last change of a field. Unaffected by changes of parentCss, layouts and partials.',
  })
  updatedAt: Date;

  /** True if it is of the parent tenant. */
  inherited?: boolean;

  /** Loads the translations of all templates of a page with one query. */
  loadTranslations: () => Promise<TemplateTranslation[]>;
}

@ObjectType('TemplatesResult', { registerIn, description: 'A page of templates.' })
export class TemplatesResult extends pageOf(Template, {
  nextToken: 'Pass it, with the same filter, to get the next page; null at the end.',
  byDefault: DEFAULT_PAGE,
}) {}
