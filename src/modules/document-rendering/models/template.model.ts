import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Author } from './author.model.js';
import { Css, DEFAULT_PAGE } from './css.model.js';
import { DEFAULT_LOCALE } from './limits.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentRenderingSchema;

/** The longest body or stylesheet, in UTF-16 units. */
export const MAX_TEXT = 1_048_576;
/** The most names that a template can read, since each takes at least two units of source, including a separator. */
export const MAX_PARAM_NAMES = MAX_TEXT / 2;

/** How many characters of a name a list is sorted by; both databases count code points. */
export const SORTED_CHARACTERS = 100;

export enum TemplateType {
  email = 'email',
  document = 'document',
}
registerEnumType(TemplateType, {
  name: 'TemplateType',
  registerIn,
  description: 'What a template is for.',
  valuesMap: {
    email: { description: 'Has a subject; stylesheets are also inlined into style attributes, as mail programs need it.' },
    document: { description: 'Has no subject.' },
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
  description: 'The order of templates.',
  valuesMap: {
    OLDEST: { description: 'The template that was created first comes first.' },
    NAME: { description: `By the first ${SORTED_CHARACTERS} characters of the names, in the order of their code points.` },
    RECENTLY_UPDATED: { description: 'The template with the latest updatedAt comes first.' },
  },
});

export enum ContentType {
  plain = 'plain',
  html = 'html',
}
registerEnumType(ContentType, {
  name: 'ContentType',
  registerIn,
  description: 'What the body of a template is.',
  valuesMap: {
    plain: { description: 'Text: parameters are not escaped, and there are no stylesheets.' },
    html: { description: 'Parameters are escaped in the body.' },
  },
});

@ObjectType('TemplateTranslation', { registerIn, description: 'The subject and body of a template in another language.' })
export class TemplateTranslation {
  @Field(() => String, { nullable: true, description: 'An IETF language tag in canonical form; unique within its template.' })
  locale: string;

  @Field(() => String, { nullable: true, description: 'Emails only; null for the subject of the template.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: 'The source, as it was saved.' })
  body: string;

  @Field(() => Author, { nullable: true, description: 'Who made the last change; null when nobody was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'The last change of a field.' })
  updatedAt: Date;

  /** Loads the names that the template reads and this translation does not. */
  loadUnusedParams: () => Promise<string[]>;
}

@ObjectType('Template', { registerIn, description: 'A saved template of emails or documents.' })
export class Template {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, {
    nullable: true,
    description: 'Unique within the tenant, case-sensitive; render finds a template by it.',
  })
  name: string;

  @Field(() => String, { nullable: true, description: 'email or document; it never changes.' })
  type: TemplateType;

  @Field(() => Boolean, { nullable: true, description: 'Starts true; rendering ignores it.' })
  active: boolean;

  @Field(() => String, { nullable: true, description: 'Emails only; null when there is none.' })
  subject: string | null;

  @Field(() => String, { nullable: true, description: 'The source, as it was saved.' })
  body: string;

  @Field(() => String, { nullable: true, description: 'Local rules, which come after those of parentCss; html only.' })
  css: string | null;

  @Field(() => Css, { nullable: true, description: 'The shared stylesheet; html only.' })
  parentCss: Css | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The template whose blocks this one fills; its body is the block content. null when it stands alone.',
  })
  layoutId: string | null;

  @Field(() => ContentType, { nullable: true, description: 'Whether the body is HTML or plain text.' })
  contentType: ContentType;

  @Field(() => String, {
    nullable: true,
    description: `The language of its subject and body, an IETF language tag. ${DEFAULT_LOCALE} unless it was given.`,
  })
  locale: string;

  @Field(() => String, {
    nullable: true,
    description: 'Params for previews, a JSON object as text, so that everybody sees the same. null when there are none.',
  })
  sampleParams: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of its last save, from 1. Each save of a field or of a translation counts.',
  })
  version: number;

  @Field(() => String, { nullable: true, description: 'Free text of the application.' })
  comment: string | null;

  @Field(() => Author, { nullable: true, description: 'Who made the last change; null when nobody was named.' })
  author: Author | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The last change of a field; a change of parentCss, a layout or a partial is not one.',
  })
  updatedAt: Date;

  /** Loads the translations of all templates of a page together. */
  loadTranslations: () => Promise<TemplateTranslation[]>;
}

@ObjectType('TemplatesResult', { registerIn, description: 'A page of templates.' })
export class TemplatesResult extends pageOf(Template, {
  nextToken: 'Pass it back, with the same filter, for the next page; null at the end.',
  byDefault: DEFAULT_PAGE,
}) {}
