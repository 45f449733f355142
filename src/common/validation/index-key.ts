/**
 * The beginning of a text as an index holds it, since PostgreSQL indexes nothing over 2,704 bytes: its first code points,
 * which are what both databases count in, so that migrations and expressions of SQL make the same.
 */
export function indexKey(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  return Array.from(text.slice(0, 2 * codePoints))
    .slice(0, codePoints)
    .join('');
}
