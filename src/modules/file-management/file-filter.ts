import { indexKey } from '../../common/validation/index-key.js';
import { lowestIdAt } from '../../common/ids/ids.js';
import type { FilesWanted } from './inputs/file.rules.js';

const KEY_LENGTH = 500;

/** What a filter means for ids: those that are named, and those that were made in the wanted time. */
export function wantedIds({ id, ids, createdAt }: FilesWanted) {
  const named = typeof id === 'string' ? [id] : ids?.filter((one) => one !== null);
  const from = createdAt?.from?.getTime();
  const to = createdAt?.to?.getTime();
  return {
    in: named,
    gte: from === undefined ? undefined : lowestIdAt(from),
    below: to === undefined ? undefined : lowestIdAt(to + 1),
  };
}

/** What the indexes hold of a name or a reference. With tenant and id it takes at most 2,100 bytes of 2,704. */
export const fileKey = (text: string): string => indexKey(text, KEY_LENGTH);

/** Whether no longer text has the key of this one. */
export const isKeyOfOne = (text: string): boolean => Array.from(fileKey(text)).length < KEY_LENGTH;

/** The least string above every string with the prefix, in order of code points; nothing when there is none. */
export function afterAllWith(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last === 0x10ffff) continue;
    const next = last === 0xd7ff ? 0xe000 : last + 1; // over the surrogates, which no string has alone
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}
