import { createHash } from 'node:crypto';
import { storedJson } from '../../../common/json/stored-json.js';
import type { CssModel } from '../../../generated/sqlite/models.js';
import type { Author } from '../models/author.model.js';
import type { Css } from '../models/css.model.js';

/** A stylesheet as it is stored. */
export type CssRow = CssModel;

/** Columns that make up the stylesheet that callers see. */
export type ShownCssRow = Pick<CssRow, 'id' | 'name' | 'text' | 'author' | 'createdAt' | 'updatedAt'>;

/** How a name is looked up, and kept unique: it can be longer than what PostgreSQL indexes. */
export function nameHash(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

/** Makes the object that callers see of a row. */
export function toCss({ id, name, text, author, createdAt, updatedAt }: ShownCssRow): Css {
  return { id, name, text, author: toAuthor(author), createdAt, updatedAt };
}

export function toAuthor(stored: string | null): Author | null {
  return stored === null ? null : storedJson<Author>(stored, 'author');
}

/** Nothing when it was left out, null when it is cleared. */
export function fromAuthor(given: Author | null | undefined): string | null | undefined {
  return given && JSON.stringify(given);
}
