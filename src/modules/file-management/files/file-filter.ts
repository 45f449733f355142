import { indexKey } from '../../../common/base/text.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { KEY_LENGTH } from '../models/limits.js';
import type { FilesWanted } from './file.inputs.js';

/** Translates a filter to conditions on ids: a list of ids, and the range of ids created in the wanted time. */
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

/**
 * Returns the beginning of a name, folder or reference that fits into its index. With tenant and id an entry takes at most 2,100
 * of the 2,704 bytes that PostgreSQL allows.
 */
export const fileKey = (text: string): string => indexKey(text, KEY_LENGTH);

/** Whether the index key holds the whole text. Then no longer text has the same key. */
export const isWholeKey = (text: string): boolean => Array.from(fileKey(text)).length < KEY_LENGTH;
