/**
 * Matches each position that needs an apostrophe to stop a spreadsheet from running a formula. A spreadsheet can begin a cell at the start
 * of a text and after a semicolon, tab or line break, even past blanks or quotes. Matches apostrophes there too, to tell them from added
 * ones.
 */
const GUARDED = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?='|(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/gu;
/** Cheap test that rules out most cells. */
const MAY_BE_GUARDED = /[;\t\r\n]|^['\s"]*['=+\-@＝＋－＠]/u;

/** Inserts an apostrophe at each position where a formula could begin. Removing one apostrophe from each restores the text. */
export const withoutFormulas = (text: string): string => (MAY_BE_GUARDED.test(text) ? text.replace(GUARDED, "'") : text);

/** Quotes a CSV cell by RFC 4180. */
export function csvCell(cell: string | null | undefined): string {
  if (cell === null || cell === undefined) return '';
  const safe = withoutFormulas(String(cell)); // a damaged value need not be a string
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
