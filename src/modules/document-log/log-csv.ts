/**
 * A cell may begin at the beginning of a text, and after each semicolon, tab and line break, whatever a spreadsheet takes
 * for the separator. There stands what it takes for a formula, also behind blanks or quotes, or an apostrophe, which could
 * be taken for ours.
 */
const GUARDED = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?='|(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/gu;
/** Finds quickly that nothing is to be done, as for most cells. */
const MAY_BE_GUARDED = /[;\t\r\n]|^['\s"]*['=+\-@＝＋－＠]/u;

/** An apostrophe stands where a formula could begin, and before each apostrophe there: who takes one away has the text again. */
export const withoutFormulas = (text: string): string => (MAY_BE_GUARDED.test(text) ? text.replace(GUARDED, "'") : text);

/** A cell by RFC 4180. */
export function csvCell(cell: string | null | undefined): string {
  if (cell === null || cell === undefined) return '';
  const safe = withoutFormulas(String(cell)); // what was changed in the database may be no text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
