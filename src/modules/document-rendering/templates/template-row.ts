import type { TemplateModel } from '../../../generated/sqlite/models.js';
import { DEFAULT_LOCALE } from '../models/limits.js';
import { ContentType, type Template, TemplateType } from '../models/template.model.js';
import { toAuthor } from '../parts/named-row.js';
import { type CssRow, type ShownCssRow, toCss } from '../stylesheets/css-row.js';

/** A template as it is stored, with its parent stylesheet. */
export type TemplateRow = TemplateModel & { parentCss: CssRow | null };

/** The columns that the template shown to callers is made of, without its parent. */
export type ShownTemplateRow = Omit<TemplateModel, 'tenantId' | 'nameHash' | 'revision'>;

/** A template without what is loaded on request. */
export type ShownTemplate = Omit<Template, 'loadTranslations'>;

/** Makes the template that callers see from its row. */
export function toTemplate(row: ShownTemplateRow & { parentCss: ShownCssRow | null }): ShownTemplate {
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
  };
}
