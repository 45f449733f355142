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
