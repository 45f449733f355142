/**
 * Returns the beginning of a text as an index holds it, since PostgreSQL indexes nothing over 2,704 bytes. Counts code
 * points, as both databases do, so that migrations and SQL expressions give the same result.
 */
export function indexKey(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  return Array.from(text.slice(0, 2 * codePoints))
    .slice(0, codePoints)
    .join('');
}

/**
 * Returns the lowest string, in order of code points, that sorts after every string with the prefix; nothing if there is none.
 */
export function afterAllWith(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last === 0x10ffff) continue;
    const next = last === 0xd7ff ? 0xe000 : last + 1; // skips the surrogates, which are not characters by themselves
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}
