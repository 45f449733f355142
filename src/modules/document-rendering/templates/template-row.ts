import type { TemplateModel } from '../../../generated/sqlite/models.js';
import { ContentType, type Template, TemplateType } from '../models/template.model.js';
import { toAuthor } from '../parts/named-row.js';
import { type CssRow, type ShownCssRow, toCss } from './css-row.js';

/** A template as it is stored, with its parent stylesheet. */
export type TemplateRow = TemplateModel & { parentCss: CssRow | null };

/** The columns that the template shown to callers is made of, without its parent. */
export type ShownTemplateRow = Omit<TemplateModel, 'tenantId' | 'nameHash' | 'revision'>;

/** Makes the template that callers see from its row. */
export function toTemplate(row: ShownTemplateRow & { parentCss: ShownCssRow | null }): Template {
  const { id, name, active, subject, body, css, layoutId, comment, createdAt, updatedAt } = row;
  return {
    id,
    name,
    active,
    subject,
    body,
    css,
    layoutId,
    comment,
    createdAt,
    updatedAt,
    type: TemplateType[row.type],
    contentType: ContentType[row.contentType],
    parentCss: row.parentCss && toCss(row.parentCss),
    author: toAuthor(row.author),
  };
}
