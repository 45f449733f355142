import type { Operations } from '../../../../clients/js/src/generated/rendering';

type TemplateInput = Operations['createTemplate']['variables']['input'];

export type TemplateType = TemplateInput['type'];
export type ContentType = TemplateInput['contentType'];

/** Fields of a template in a list. */
export interface TemplateRow {
  id: string;
  name: string;
  type: TemplateType;
  contentType: ContentType;
  subject: string;
  isActive: boolean;
  /** Whether it is the parent tenant's, and read-only here. */
  isInherited: boolean;
  updatedAt: string;
  layoutId: string | undefined;
  locale: string | undefined;
  stylesheet: { id: string; name: string } | undefined;
}

/** Everything that a person can edit in a template. Absent texts are empty. */
export interface Draft {
  name: string;
  subject: string;
  body: string;
  css: string;
  parentCssId: string;
  /** Id of the template whose blocks this one fills. */
  layoutId: string;
  comment: string;
  isActive: boolean;
  contentType: ContentType;
  /** The language of its texts, as a tag; empty for a partial. */
  locale: string;
}

/** The texts of a template in another language. */
interface Translation {
  locale: string;
  /** Empty for the subject of the template. */
  subject: string;
  body: string;
  /** Parameters that the template reads and the translation does not. */
  unusedParams: readonly string[];
  updatedAt: string;
  author: string | undefined;
}

/** A template, a translation, a partial or a stylesheet, as read. The rules of a stylesheet are its body. */
export interface Saved extends Draft {
  id: string;
  kind: 'template' | 'translation' | 'partial' | 'stylesheet';
  /** Path below that of the room. */
  href: string;
  type: TemplateType;
  /** Whether it is the parent tenant's, and read-only here. */
  isInherited: boolean;
  /** Parameters of a template and its translations. */
  translations: readonly Translation[];
  /** Template of a translation. */
  original?: Saved;
  /** Number of its last save. */
  version: number;
  /** JSON text for previews, the same for everybody; empty if there is none. */
  sampleParams: string;
  createdAt: string;
  updatedAt: string;
  author: string | undefined;
}

const DRAFT_FIELDS = [
  'name',
  'subject',
  'body',
  'css',
  'parentCssId',
  'layoutId',
  'comment',
  'isActive',
  'contentType',
  'locale',
] as const satisfies readonly (keyof Draft)[];

export const draftOf = (saved: Saved): Draft => ({
  name: saved.name,
  subject: saved.subject,
  body: saved.body,
  css: saved.css,
  parentCssId: saved.parentCssId,
  layoutId: saved.layoutId,
  comment: saved.comment,
  isActive: saved.isActive,
  contentType: saved.contentType,
  locale: saved.locale,
});

export const changedFields = (draft: Draft, base: Draft): (keyof Draft)[] =>
  DRAFT_FIELDS.filter((field) => draft[field] !== base[field]);

/** Returns the part of a draft that the API renders. Text has no stylesheets, and only emails have a subject. */
export function sourceOf(draft: Draft, type: TemplateType) {
  const isHtml = draft.contentType === 'html';
  return {
    type,
    contentType: draft.contentType,
    body: draft.body,
    subject: type === 'email' && draft.subject ? draft.subject : null,
    css: isHtml && draft.css ? draft.css : null,
    parentCssId: isHtml && draft.parentCssId ? draft.parentCssId : null,
    layoutId: draft.layoutId || null,
  };
}

/** Returns a translation of a template, with all its other fields. */
export function translationOf(template: Saved, locale: string): Saved | undefined {
  const found = template.translations.find((one) => one.locale === locale);
  if (!found) return undefined;
  const { unusedParams: _, ...texts } = found;
  return { ...template, ...texts, kind: 'translation', href: `/${template.id}/${locale}`, original: template };
}

export const TYPE_WORDS: Readonly<Record<TemplateType, string>> = { email: 'Email', document: 'Document' };
export const CONTENT_WORDS: Readonly<Record<ContentType, string>> = { html: 'HTML', plain: 'Plain text' };

/** Formats an author. */
export const nameOf = (author: { readonly name: string | null; readonly email: string | null } | null) =>
  author?.name ?? author?.email ?? undefined;
