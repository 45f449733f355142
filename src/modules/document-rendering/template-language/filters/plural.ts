import { LRUCache } from 'lru-cache';
import { textOf } from '../text/escaping.js';
import type { Warn } from '../result/warnings.js';
import { localNumber } from './intl-filters.js';
import { numberIn } from './number-pattern.js';
import { formatFor, type Reader } from './reader.js';

/** CLDR plural categories. Each language uses some of them. */
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'];
const MAX_LENGTH = 2_000;
const MAX_KNOWN = 500;

/** Plural form: `=3` or a category, with its text. */
const FORM = /\s*(=\d{1,15}|[a-z]+)\s*\{([^{}]*)\}\s*/y;

const EXAMPLE = 'write a form for each category, such as "one {# item} other {# items}"';

const known = new LRUCache<string, Map<string, string>>({ max: MAX_KNOWN });

/** Returns the error message for invalid plural forms, or undefined. */
export function wrongPlural(forms: string): string | undefined {
  const read = readForms(forms);
  return typeof read === 'string' ? read : undefined;
}

/** Returns the form for a number, with `#` replaced by it. Returns other values unchanged. */
export function plural(value: unknown, forms: unknown, warn: Warn, reader: Reader): unknown {
  const number = numberIn(value, warn);
  if (number === undefined) return value;
  const byName = formsOf(textOf(forms));
  const category = formatFor(Intl.PluralRules, reader, {}).select(Number(number));
  const form = byName.get(`=${Number(number)}`) ?? byName.get(category) ?? byName.get('other')!;
  return form.replaceAll('#', () => localNumber(number, reader));
}

function formsOf(forms: string): Map<string, string> {
  const found = known.get(forms);
  if (found) return found;
  const read = readForms(forms);
  if (typeof read === 'string') throw new Error(`invalid plural forms: ${forms}`); // compilation refuses it
  known.set(forms, read);
  return read;
}

function readForms(forms: string): Map<string, string> | string {
  if (forms.length > MAX_LENGTH) return `the forms have at most ${MAX_LENGTH} characters`;
  const byName = new Map<string, string>();
  FORM.lastIndex = 0;
  for (let at = 0; at < forms.length; at = FORM.lastIndex) {
    FORM.lastIndex = at;
    const [, name, text] = FORM.exec(forms) ?? [];
    if (name === undefined || text === undefined) return EXAMPLE;
    if (!name.startsWith('=') && !CATEGORIES.includes(name))
      return `${name.slice(0, 20)} is not a category; the categories are ${CATEGORIES.join(', ')}, and =1 for a number`;
    if (byName.has(name)) return `${name} occurs twice; remove one`;
    byName.set(name, text);
  }
  return byName.has('other') ? byName : `the form other is missing; ${EXAMPLE}`;
}
