import type { CssModel } from '../../../generated/sqlite/models.js';
import type { Css } from '../models/css.model.js';
import { toAuthor } from '../parts/named-row.js';

/** A stylesheet as it is stored. */
export type CssRow = CssModel;

/** The columns that the stylesheet shown to callers is made of. */
export type ShownCssRow = Pick<CssRow, 'id' | 'name' | 'text' | 'author' | 'createdAt' | 'updatedAt'>;

/** Makes the stylesheet that callers see from its row. */
export function toCss({ id, name, text, author, createdAt, updatedAt }: ShownCssRow): Css {
  return { id, name, text, author: toAuthor(author), createdAt, updatedAt };
}
