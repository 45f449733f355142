import { indexKey } from '../../../common/validation/index-key.js';
import { lowestIdAt } from '../../../common/ids/ids.js';
import type { FilesWanted } from '../inputs/file.rules.js';

/** Length of the keys that indexes hold, in code points. */
export const KEY_LENGTH = 500;

/** Translates a filter to ids: the listed ones, and the range of those made in the wanted time. */
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

/** The beginning of a name, its folder or a reference that its index holds. With tenant and id it takes at most 2,100 bytes of 2,704. */
export const fileKey = (text: string): string => indexKey(text, KEY_LENGTH);

/** Whether the key holds the whole text, so that no longer text shares it. */
export const isWholeKey = (text: string): boolean => Array.from(fileKey(text)).length < KEY_LENGTH;

/** The least string, in order of code points, above every string with the prefix. Returns nothing when there is none. */
export function afterAllWith(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last === 0x10ffff) continue;
    const next = last === 0xd7ff ? 0xe000 : last + 1; // skips the surrogates, which never stand alone
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}
