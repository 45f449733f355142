import { boundariesOf, characterCount, firstCharacter, lastCharacter, offsetOf } from '../text/characters.js';
import { formatDate, wrongDatePattern } from './date-pattern.js';
import { EncodedText, escapeHtml, hasNoText, Markup, NO_TEXT, textOf } from '../text/escaping.js';
import {
  currency,
  list,
  localNumber,
  percent,
  relative,
  styledTime,
  wrongCurrency,
  wrongDigits,
  wrongList,
  wrongStyle,
} from './intl-filters.js';
import { formatNumber, numberIn, wrongNumberPattern } from './number-pattern.js';
import { plural, wrongPlural } from './plural.js';
import { directionOf, type Reader } from './reader.js';
import type { Node } from '../syntax/syntax.js';
import { MAX_OUTPUT, outputTooLarge } from '../result/refusal.js';
import type { Warn } from '../result/warnings.js';
import { sizeOf } from '../result/work-units.js';
import { isRight, wrongLength, wrongMaximum, wrongPrecision } from './whole-number.js';

export interface Filter {
  apply: (value: unknown, args: unknown[], warn: Warn, reader: Reader) => unknown;
  /** Maximum number of arguments. */
  arguments: number;
  /** Maximum work. By default, that of reading all text arguments. */
  units?: (value: unknown, args: unknown[]) => number;
  /** Returns the error message for invalid arguments in the source, or undefined. */
  check?: (args: Node[]) => string | undefined;
}

/** Units per character of the slowest filters, such as counting combined characters. */
const UNITS_OF_CHARACTER = 16;
/** Units per character of a date pattern. Formatting dates is the slowest operation. */
const UNITS_OF_PATTERN_CHARACTER = 256;

/** Cost of a filter that scans each text argument once. */
export function unitsOfTexts(value: unknown, args: unknown[]): number {
  return UNITS_OF_CHARACTER * args.reduce((size: number, argument) => size + sizeOf(argument), sizeOf(value));
}

/** Cost of reading a list's ends and length, or the characters of a text. */
function unitsOfCharacters(value: unknown): number {
  return Array.isArray(value) ? 1 : unitsOfTexts(value, []);
}

function unitsOfJoining(value: unknown, args: unknown[]): number {
  return unitsOfTexts(value, args) + (Array.isArray(value) ? value.length * sizeOf(args[0]) : 0);
}

/** Cost of a replacement. Each character can start a failed search or receive an insertion. */
function unitsOfReplacing(value: unknown, [from, to]: unknown[]): number {
  return unitsOfTexts(value, []) + (1 + sizeOf(value)) * (sizeOf(from) + sizeOf(to));
}

function unitsOfDate(value: unknown, [pattern]: unknown[]): number {
  return unitsOfTexts(value, []) + UNITS_OF_PATTERN_CHARACTER * sizeOf(pattern);
}

/** Cost of an Intl format, comparable to several characters of a date pattern. */
const UNITS_OF_FORMAT = 2_048;

const unitsOfFormat = (value: unknown, args: unknown[]): number => unitsOfTexts(value, args) + UNITS_OF_FORMAT;

/** Cost of formatting a number, which is short. */
const unitsOfNumber = (value: unknown, args: unknown[]): number =>
  unitsOfTexts(value, args) + UNITS_OF_CHARACTER * UNITS_OF_CHARACTER;

const unitsOfList = (value: unknown, args: unknown[]): number =>
  unitsOfFormat(value, args) + (Array.isArray(value) ? value.length * UNITS_OF_CHARACTER : 0);

const ROUNDINGS: Record<string, (number: number) => number> = { common: Math.round, ceil: Math.ceil, floor: Math.floor };
const wrongRounding = (method: string): string | undefined =>
  Object.hasOwn(ROUNDINGS, method) ? undefined : 'the rounding method must be "common", "ceil" or "floor"';

/** Filters, as pure functions of JSON values with the same meaning as in Nunjucks. Missing values count as empty text. */
export const FILTERS: Record<string, Filter> = {
  upper: ofText((text) => text.toUpperCase()),
  lower: ofText((text) => text.toLowerCase()),
  capitalize: ofText((text) => capitalized(text.toLowerCase())),
  title: ofText((text) => text.toLowerCase().split(' ').map(capitalized).join(' ')),
  trim: ofText((text) => text.trim()),
  default: {
    arguments: 2,
    units: () => 1,
    apply: (value, [other, ifFalse]) => (ifFalse ? value || other : value === undefined ? other : value),
  },
  join: { arguments: 2, units: unitsOfJoining, apply: joined },
  length: { arguments: 0, units: unitsOfCharacters, apply: lengthOf },
  first: { arguments: 0, units: unitsOfCharacters, apply: (value) => endOf(value, 0, firstCharacter) },
  last: { arguments: 0, units: unitsOfCharacters, apply: (value) => endOf(value, -1, lastCharacter) },
  replace: {
    arguments: 3,
    units: unitsOfReplacing,
    apply: replaced,
    check: ([from, , maximum]) =>
      from ? ifNumber(maximum, wrongMaximum) : 'the text to replace is missing; write it, such as replace("a", "b")',
  },
  round: {
    arguments: 2,
    apply: rounded,
    check: ([precision, method]) => ifNumber(precision, wrongPrecision) ?? (method && ifLiteral(method, wrongRounding)),
  },
  truncate: { arguments: 3, apply: truncated, check: ([length]) => ifNumber(length, wrongLength) },
  escape: { arguments: 0, apply: (value, _args, warn) => (value instanceof Markup ? value : new Markup(escapeHtml(textIn(value, warn)))) }, // prettier-ignore
  urlencode: ofText((text) => new EncodedText(encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27'))),
  nl2br: { arguments: 0, apply: withBreaks },
  date: {
    arguments: 1,
    units: unitsOfDate,
    apply: (value, [pattern], warn, reader) => formatDate(value, pattern, warn, reader),
    check: literal(wrongDatePattern, 'the pattern'),
  },
  number: {
    arguments: 1,
    units: unitsOfNumber,
    apply: (value, [pattern], warn, reader) =>
      pattern === undefined && reader.locale !== undefined
        ? whereNumber(value, warn, (number) => localNumber(number, reader))
        : formatNumber(value, pattern, warn, reader),
    check: literal(wrongNumberPattern, 'the pattern'),
  },
  currency: {
    arguments: 1,
    units: unitsOfFormat,
    apply: (value, [code], warn, reader) => currency(value, code, warn, reader),
    check: ([code]) => (code ? ifLiteral(code, wrongCurrency) : 'the currency is missing; write its code, such as "EUR"'),
  },
  percent: {
    arguments: 1,
    units: unitsOfNumber,
    apply: (value, [digits], warn, reader) => percent(value, digits, warn, reader),
    check: ([digits]) => ifNumber(digits, wrongDigits),
  },
  time: {
    arguments: 1,
    units: unitsOfFormat,
    apply: (value, [style], warn, reader) => styledTime(value, style, warn, reader),
    check: literal(wrongStyle, 'the style'),
  },
  relative: { arguments: 1, units: unitsOfFormat, apply: (value, [from], warn, reader) => relative(value, from, warn, reader) },
  list: {
    arguments: 1,
    units: unitsOfList,
    apply: (value, [kind], warn, reader) => list(value, kind, warn, reader),
    check: literal(wrongList, 'the kind of list'),
  },
  plural: {
    arguments: 1,
    units: unitsOfFormat,
    apply: (value, [forms], warn, reader) => plural(value, forms, warn, reader),
    check: ([forms, ...more]) =>
      forms
        ? literal(wrongPlural, 'the forms')([forms, ...more])
        : 'the forms are missing; write them, such as "one {# item} other {# items}"',
  },
  lang: { arguments: 0, units: () => 1, apply: (value, _args, _warn, { language }) => language ?? value },
  dir: {
    arguments: 0,
    units: () => UNITS_OF_FORMAT,
    apply: (value, _args, _warn, { language }) => (language === undefined ? value : directionOf(language)),
  },
};

/** Creates a filter of text. */
function ofText(apply: (text: string) => unknown): Filter {
  return { arguments: 0, apply: (value, _args, warn) => apply(textIn(value, warn)) };
}

/** Returns the text of a value, with a warning for an object. */
function textIn(value: unknown, warn: Warn): string {
  if (hasNoText(value)) warn(NO_TEXT);
  return textOf(value);
}

/** Checks an argument that must be a literal, so that errors are found when the template is saved. */
function literal(wrong: (text: string) => string | undefined, name: string) {
  return ([argument]: Node[]): string | undefined => {
    if (!argument) return undefined;
    const { typename, value } = argument;
    return typename === 'Literal' && typeof value === 'string' ? wrong(value) : `${name} must be in quotes`;
  };
}

/** Checks an argument if it is a literal. It may also be a parameter. */
function ifLiteral({ typename, value }: Node, wrong: (text: string) => string | undefined): string | undefined {
  return typename === 'Literal' ? wrong(textOf(value)) : undefined;
}

/** Same as `ifLiteral` for an optional number, which may be negative. */
function ifNumber(node: Node | undefined, wrong: (value: unknown) => string | undefined): string | undefined {
  const target = node?.typename === 'Neg' ? (node.target as Node) : node;
  if (target?.typename !== 'Literal') return undefined;
  return wrong(target === node ? target.value : -Number(target.value));
}

function whereNumber(value: unknown, warn: Warn, format: (number: string) => string): unknown {
  const number = numberIn(value, warn);
  return number === undefined ? value : format(number);
}

function capitalized(text: string): string {
  const first = firstCharacter(text) ?? '';
  return first.toUpperCase() + text.slice(first.length);
}

function endOf(value: unknown, index: 0 | -1, character: (text: string) => string | undefined): unknown {
  if (typeof value === 'string') return character(value);
  return Array.isArray(value) ? value.at(index) : undefined;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return characterCount(value);
  if (Array.isArray(value)) return value.length;
  return value !== null && typeof value === 'object' && !(value instanceof Markup) ? Object.keys(value).length : 0;
}

function joined(value: unknown, [separator, member]: unknown[], warn: Warn): string {
  if (!Array.isArray(value)) return textIn(value, warn);
  const key = member === undefined ? undefined : textOf(member);
  const between = textOf(separator);
  let text = '';
  value.forEach((item: unknown, index) => {
    text += (index > 0 ? between : '') + textIn(key === undefined ? item : ownMember(item, key), warn);
    if (text.length > MAX_OUTPUT) throw outputTooLarge();
  });
  return text;
}

function ownMember(value: unknown, key: string): unknown {
  const isThere = value !== null && value !== undefined && Object.hasOwn(value, key);
  return isThere ? (value as Record<string, unknown>)[key] : undefined;
}

/** Replaces text. Checks the size as the result grows, since 1 MB can become terabytes. */
function replaced(value: unknown, [from, to, maximum]: unknown[], warn: Warn): string {
  const text = textIn(value, warn);
  const search = textOf(from);
  const replacement = textOf(to);
  const limit = isRight(maximum, wrongMaximum(maximum), warn) ? (maximum as number) : Number.POSITIVE_INFINITY;
  const find = finder(text, search);
  let result = '';
  let at = 0;
  for (let count = 0; count < limit; count++) {
    const found = find(search === '' ? at + Math.sign(count) : at);
    if (found < 0) break;
    result += text.slice(at, found) + replacement;
    at = found + search.length;
    if (result.length > MAX_OUTPUT) throw outputTooLarge();
  }
  return result + text.slice(at);
}

/** Returns a search function that matches whole characters only, never a letter without its accent. */
function finder(text: string, search: string): (from: number) => number {
  const isBoundary = boundariesOf(text);
  return (from) => {
    if (from > text.length) return -1;
    let found = text.indexOf(search, from);
    while (found >= 0 && !(isBoundary(found) && isBoundary(found + search.length))) found = text.indexOf(search, found + 1);
    return found;
  };
}

/** Rounds a number. Returns other values unchanged. */
function rounded(value: unknown, [precision, method]: unknown[], warn: Warn): unknown {
  const number = numberIn(value, warn);
  if (number === undefined) return value;
  const digits = isRight(precision, wrongPrecision(precision), warn) ? (precision as number) : 0;
  const factor = 10 ** digits;
  const scaled = Number(number) * factor;
  const round = isRight(method, wrongRounding(textOf(method)), warn) ? ROUNDINGS[textOf(method)]! : Math.round;
  return round(scaled) / factor;
}

/** Truncates a text to a number of characters, at a word boundary unless `killWords` is set, and appends `...` or another ending. */
function truncated(value: unknown, [length, killWords, ending]: unknown[], warn: Warn): string {
  const text = textIn(value, warn);
  const limit = isRight(length, wrongLength(length), warn) ? (length as number) : 255;
  const end = offsetOf(text, limit);
  if (end === text.length) return text;
  const cut = text.slice(0, end);
  const word = killWords ? -1 : text.lastIndexOf(' ', end);
  return (word > 0 ? cut.slice(0, word) : cut) + (ending === undefined ? '...' : textOf(ending));
}

function withBreaks(value: unknown, _args: unknown[], warn: Warn): Markup {
  const html = value instanceof Markup ? value.html : escapeHtml(textIn(value, warn));
  return new Markup(html.replace(/\r\n|\r|\n/g, '<br>\n'));
}
