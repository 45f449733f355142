/**
 * Matches the places that need an apostrophe. Spreadsheets may begin a cell at the beginning of a text and after each semicolon,
 * tab and line break. Matches what they read as a formula there, even after blanks or quotes, and an apostrophe of the text, which
 * a reader could not tell from an added one.
 */
const GUARDED = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?='|(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/gu;
/** Quickly rules out most cells, which need no change. */
const MAY_BE_GUARDED = /[;\t\r\n]|^['\s"]*['=+\-@＝＋－＠]/u;

/** Puts an apostrophe wherever a formula could begin, and before each apostrophe there: removing one restores the text. */
export const withoutFormulas = (text: string): string => (MAY_BE_GUARDED.test(text) ? text.replace(GUARDED, "'") : text);

/** A cell by RFC 4180. */
export function csvCell(cell: string | null | undefined): string {
  if (cell === null || cell === undefined) return '';
  const safe = withoutFormulas(String(cell)); // a damaged value may be something other than text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
