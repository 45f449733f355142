import { afterAllWith, lowerAscii } from '../../base/text.js';
import type { Dialect } from './dialect.js';
import { raw, type Sql, sql } from './sql.js';

/** Lowercases the ASCII letters of a column. SQLite's lower() knows no others, nor does PostgreSQL's with this collation. */
export function withoutCase(dialect: Dialect, column: string): Sql {
  return raw(dialect.pick({ sqlite: `lower(${column})`, postgresql: `lower(${column} COLLATE "C")` }));
}

/** Additional forms of a letter, besides its capital. */
const FURTHER_FORMS: Record<string, string> = { σ: 'ς', ß: 'ẞ', μ: 'µ' };

/**
 * Selects rows whose column contains a text in any letter case. Neither database knows the case of all letters, so letters of the
 * text beyond ASCII are replaced in the column, and both find the same rows. The text has no wildcards.
 */
export function containing(dialect: Dialect, column: string, text: string): Sql {
  let [searched, wanted] = [withoutCase(dialect, column), ''];
  for (const character of lowerAscii(text)) {
    const letter = withoutOwnCase(character);
    const isKnown = letter <= '\x7f' || wanted.includes(letter);
    wanted += letter;
    if (isKnown) continue;
    for (const form of new Set([character, letter.toUpperCase(), FURTHER_FORMS[letter] ?? letter]))
      if (form !== letter && isOne(form)) searched = sql`replace(${searched}, ${form}, ${letter})`;
  }
  return sql`${raw(dialect.position)}(${searched}, ${wanted}) > 0`;
}

/** Returns the lower case of a letter beyond ASCII; the letter itself if its other case is several letters or ASCII. */
function withoutOwnCase(character: string): string {
  const capital = character.toUpperCase();
  const letter = (isOne(capital) ? capital : character).toLowerCase();
  return isOne(letter) && letter > '\x7f' ? letter : character;
}

const isOne = (text: string): boolean => Array.from(text).length === 1;

/** Selects a prefix as a range, which an index can serve: both databases compare texts byte by byte. */
export function startingWith(column: string, prefix: string): Sql[] {
  const end = afterAllWith(prefix);
  return [sql`${raw(column)} >= ${prefix}`, ...(end === undefined ? [] : [sql`${raw(column)} < ${end}`])];
}
