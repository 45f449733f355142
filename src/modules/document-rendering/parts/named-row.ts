import { createHash } from 'node:crypto';
import { storedJson } from '../../../common/json/stored-json.js';
import type { Author } from '../models/author.model.js';

/** Returns the hash by which a name is looked up and kept unique: a name can exceed the 2,704 bytes that PostgreSQL can index. */
export function nameHash(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

export function toAuthor(stored: string | null): Author | null {
  return stored === null ? null : storedJson<Author>(stored, 'author');
}

/** Returns the author as it is stored: undefined if it was left out, null if it is cleared. */
export function fromAuthor(given: Author | null | undefined): string | null | undefined {
  return given && JSON.stringify(given);
}
