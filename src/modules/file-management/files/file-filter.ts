import { indexKey } from '../../../common/base/text.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { KEY_LENGTH } from '../models/limits.js';
import type { FilesWanted } from './file.inputs.js';

/** Translates a filter to conditions on ids: a list, and the id range of a creation period. */
export function wantedIds({ id, ids, createdAt }: FilesWanted) {
  const listed = typeof id === 'string' ? [id] : ids?.filter((one) => one !== null);
  const from = createdAt?.from?.getTime();
  const to = createdAt?.to?.getTime();
  return {
    in: listed,
    gte: from === undefined ? undefined : lowestIdAt(from),
    below: to === undefined ? undefined : lowestIdAt(to + 1),
  };
}

/** Returns the indexed prefix of a name, folder or reference. An entry takes up to 2,100 of PostgreSQL's 2,704 bytes. */
export const fileKey = (text: string): string => indexKey(text, KEY_LENGTH);

/** Returns true if the key holds the whole text. Then no longer text has the same key. */
export const isWholeKey = (text: string): boolean => Array.from(fileKey(text)).length < KEY_LENGTH;
