import { textOf } from '../text/escaping.js';
import { type NumberPattern, readNumberPattern } from './number-pattern-reader.js';
import type { Warn } from '../result/warnings.js';
import { localDigits, type NumberSymbols, numberSymbols, type Reader } from './reader.js';

const DEFAULT = '#,##0.###';
const MAX_KNOWN = 1_000;
/** Maximum length of a number in text. Parsing time is quadratic in the number of digits. */
const MAX_NUMBER = 100;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

const known = new Map<string, NumberPattern>();

/** Returns the error message for an invalid Unicode number pattern (UTS #35), or undefined. */
export function wrongNumberPattern(pattern: string): string | undefined {
  const read = readNumberPattern(pattern);
  return typeof read === 'string' ? read : undefined;
}

/** Formats a number, or a text that contains one, with all its digits. Returns other values unchanged. */
export function formatNumber(value: unknown, pattern: unknown, warn: Warn, reader: Reader): unknown {
  const number = numberIn(value, warn);
  if (number === undefined) return value;
  const symbols = numberSymbols(reader);
  const { positive, negative, scale, digits, grouping, minWhole } = patternOf(textOf(pattern ?? DEFAULT));
  const isNegative = number.startsWith('-');
  const [whole = '', fraction] = digits.format(scaled(number.replace(/^[+-]/, ''), scale)).split('.');
  const shown = minWhole === 0 && whole === '0' && fraction !== undefined ? '' : grouped(whole, grouping, symbols);
  const text = fraction === undefined ? shown : `${shown}${symbols.decimal}${fraction}`;
  // Negative numbers rounded to zero get no minus.
  const { prefix, suffix } = isNegative && /[1-9]/.test(text) ? negative : positive;
  const isMinus = prefix === '-' && isNegative;
  return (isMinus ? symbols.minus : prefix) + localDigits(text, symbols) + suffix;
}

/** Returns the decimal text of a number; undefined for other values, with a warning unless the value is missing. */
export function numberIn(value: unknown, warn: Warn): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text = textOf(value).trim();
  if (text.length <= MAX_NUMBER && DECIMAL.test(text) && Number.isFinite(Number(text))) return text;
  warn('written unchanged, because it is not a number such as 1234.5');
  return undefined;
}

/** Scales a number by its exponent, so that no digit changes. */
function scaled(number: string, scale: number): `${number}` {
  const [mantissa, exponent = '0'] = number.toLowerCase().split('e');
  return `${mantissa as `${number}`}e${Number(exponent) + scale}` as `${number}`;
}

function grouped(whole: string, [first, others]: NumberPattern['grouping'], { group, minGrouped }: NumberSymbols): string {
  if (first === 0 || whole.length < first + minGrouped) return whole;
  const groups: string[] = [];
  let end = whole.length;
  for (let size = first; end > size; size = others) {
    groups.unshift(whole.slice(end - size, end));
    end -= size;
  }
  return [whole.slice(0, end), ...groups].join(group);
}

function patternOf(pattern: string): NumberPattern {
  const found = known.get(pattern);
  if (found) return found;
  const made = readNumberPattern(pattern);
  if (typeof made === 'string') throw new Error(`not a number pattern: ${pattern}`); // compilation refuses it
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(pattern, made);
  return made;
}
