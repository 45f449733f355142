import type { TemplateModel } from '../../../generated/sqlite/models.js';
import { type CssRow, type ShownCssRow, toAuthor, toCss } from './css-row.js';
import { ContentType, type Template, TemplateType } from '../models/template.model.js';

/** A template as it is stored, with its parent. */
export type TemplateRow = TemplateModel & { parentCss: CssRow | null };

/** Columns that make up the template that callers see, beside its parent. */
export type ShownTemplateRow = Omit<TemplateModel, 'tenantId' | 'nameHash' | 'revision'>;

/** Makes the object that callers see of a row. */
export function toTemplate(row: ShownTemplateRow & { parentCss: ShownCssRow | null }): Template {
  const { id, name, active, subject, body, css, comment, createdAt, updatedAt } = row;
  return {
    id,
    name,
    active,
    subject,
    body,
    css,
    comment,
    createdAt,
    updatedAt,
    type: TemplateType[row.type],
    contentType: ContentType[row.contentType],
    parentCss: row.parentCss && toCss(row.parentCss),
    author: toAuthor(row.author),
  };
}
