import { createHash } from 'node:crypto';
import { Columns, type Kinds, type RowOf } from '../../../common/database/sql/columns.js';
import { storedJson } from '../../../common/base/json.js';
import type { Author } from '../models/author.model.js';
import type { CssModel, TemplateModel, TemplatePartialModel, TemplateVersionModel } from '../../../generated/sqlite/models.js';
import type { Css } from '../models/css.model.js';
import type { Inherited } from './inherited.queries.js';
import type { TemplatePartial } from './partial.model.js';
import { ContentType, type Template, TemplateType } from '../models/template.model.js';
import { DEFAULT_LOCALE } from '../models/limits.js';
import { uuidv7 } from '../../../common/base/ids.js';
import type { TemplateVersion } from './template-version.model.js';
import { type Parts, reachable } from './template-parts.js';

/** Returns the hash by which a name is found and kept unique. Names can exceed the 2,704 bytes that PostgreSQL can index. */
export function nameHash(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

export function toAuthor(stored: string | null): Author | null {
  return stored === null ? null : storedJson<Author>(stored, 'author');
}

/** Returns the stored form of an author: undefined if omitted, null if cleared. */
export function fromAuthor(given: Author | null | undefined): string | null | undefined {
  return given && JSON.stringify(given);
}

/** Returns the mark of an inherited row. Own ones have none, since events contain the same objects. */
const markOf = ({ inherited }: Inherited): Inherited => (inherited ? { inherited } : {});

export type CssRow = CssModel;

/** Columns of the stylesheet that callers see. */
export const SHOWN_CSS = new Columns<Omit<CssRow, 'tenantId' | 'nameHash' | 'revision'>>('Css', {
  id: 'key',
  name: 'text',
  text: 'long text',
  author: 'long text',
  createdAt: 'time',
  updatedAt: 'time',
});
export type ShownCssRow = RowOf<typeof SHOWN_CSS>;

/** Converts a row to the API's stylesheet. */
export function toCss({ id, name, text, author, createdAt, updatedAt, ...row }: ShownCssRow & Inherited): Css {
  return { id, name, text, author: toAuthor(author), createdAt, updatedAt, ...markOf(row) };
}

export type PartialRow = TemplatePartialModel;

/** Columns of the partial that callers see. */
export const SHOWN_PARTIAL = new Columns<Omit<PartialRow, 'tenantId' | 'nameHash' | 'revision'>>('TemplatePartial', {
  id: 'key',
  name: 'text',
  contentType: { enum: 'StoredContentType' },
  body: 'long text',
  author: 'long text',
  createdAt: 'time',
  updatedAt: 'time',
});

/** Converts a row to the API's partial. */
export function toPartial({
  id,
  name,
  contentType,
  body,
  author,
  createdAt,
  updatedAt,
  ...row
}: RowOf<typeof SHOWN_PARTIAL> & Inherited): TemplatePartial {
  return {
    id,
    name,
    contentType: ContentType[contentType],
    body,
    author: toAuthor(author),
    createdAt,
    updatedAt,
    ...markOf(row),
  };
}

/** Row of a template, with its parent stylesheet. */
export type TemplateRow = TemplateModel & { parentCss: CssRow | null };

/** Columns that a save keeps in the template and in its version. */
const SAVED: Kinds<Omit<TemplateVersionModel, 'id' | 'tenantId' | 'templateId' | 'parts' | 'size'>> = {
  version: 'integer',
  contentType: { enum: 'StoredContentType' },
  subject: 'text',
  body: 'long text',
  css: 'long text',
  parentCssId: 'key',
  layoutId: 'key',
  locale: 'key',
  sampleParams: 'long text',
  comment: 'text',
  author: 'long text',
  createdAt: 'time',
};

/** Columns of the template that callers see, without its parent. */
export const SHOWN_TEMPLATE = new Columns<Omit<TemplateModel, 'tenantId' | 'nameHash' | 'revision'>>('Template', {
  id: 'key',
  name: 'text',
  type: { enum: 'StoredTemplateType' },
  active: 'boolean',
  ...SAVED,
  updatedAt: 'time',
});
export type ShownTemplateRow = RowOf<typeof SHOWN_TEMPLATE>;

/** Columns of the version that callers see. */
export const SHOWN_VERSION = new Columns('TemplateVersion', SAVED);

/** Template without fields loaded on request. */
export type ShownTemplate = Omit<Template, 'loadTranslations'>;

/** Converts a row to the API's template. */
export function toTemplate(row: ShownTemplateRow & Inherited & { parentCss: (ShownCssRow & Inherited) | null }): ShownTemplate {
  const { id, name, active, subject, body, css, layoutId, sampleParams, version, comment, createdAt, updatedAt } = row;
  return {
    id,
    name,
    active,
    subject,
    body,
    css,
    layoutId,
    locale: row.locale ?? DEFAULT_LOCALE,
    sampleParams,
    version,
    comment,
    createdAt,
    updatedAt,
    type: TemplateType[row.type],
    contentType: ContentType[row.contentType],
    parentCss: row.parentCss && toCss(row.parentCss),
    author: toAuthor(row.author),
    ...markOf(row),
  };
}

/** Texts of a version other than the template's own. */
type StoredParts = Pick<Parts, 'layouts' | 'partials' | 'translations'> & { parentText: string | null };

/** Template with its stylesheet in the transaction of the save. */
type SavedTemplate = TemplateModel & { parentCss: { text: string | null } | null };

/** Creates the version of a save: the template with the parts that it was checked with. */
export function versionOf(row: SavedTemplate, parts: Omit<Parts, 'template'>, createdAt: Date): TemplateVersionModel {
  const { tenantId, id: templateId, version, contentType, subject, body, css, parentCssId, layoutId, locale } = row;
  const { sampleParams, comment, author } = row;
  const parentText = row.parentCss?.text ?? null;
  const { layouts, translations } = parts;
  const bodies = [body, ...[...layouts, ...translations].map((one) => one.body!)];
  const partials = reachable(bodies, contentType, parts.partials).map((partial) => ({ ...partial, contentType }));
  const stored = JSON.stringify({ parentText, layouts, partials, translations } satisfies StoredParts);
  const texts = [subject, body, css, sampleParams, stored];
  return {
    id: uuidv7(),
    tenantId,
    templateId,
    version,
    contentType,
    subject,
    body,
    css,
    parentCssId,
    layoutId,
    locale,
    sampleParams,
    comment,
    author,
    parts: stored,
    size: texts.reduce((size, text) => size + (text?.length ?? 0), 0),
    createdAt,
  };
}

/** Returns the parts of a version. */
export function partsOf(row: TemplateVersionModel, type: 'email' | 'document'): Parts {
  const { parentText, ...parts } = storedJson<StoredParts>(row.parts, 'parts');
  const { templateId, contentType, subject, body, css, layoutId, locale } = row;
  return { template: { id: templateId, type, contentType, subject, body, css, parentText, layoutId, locale }, ...parts };
}

/** Converts a row to the API's version. */
export function toVersion({ contentType, author, ...row }: RowOf<typeof SHOWN_VERSION>): TemplateVersion {
  return { ...row, contentType: ContentType[contentType], author: toAuthor(author) };
}
