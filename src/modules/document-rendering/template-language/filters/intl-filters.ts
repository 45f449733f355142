import type { UTCDate } from '@date-fns/utc';
import { hasNoText, NO_TEXT, textOf } from '../text/escaping.js';
import type { Warn } from '../result/warnings.js';
import { numberIn } from './number-pattern.js';
import { formatFor, type Reader } from './reader.js';
import { timeIn, type ReadTime } from './times.js';
import { wholeNumber } from './whole-number.js';

/** CLDR styles of dates and times. */
const STYLES = ['full', 'long', 'medium', 'short'] as const;
type Style = (typeof STYLES)[number];
const LISTS = { and: 'conjunction', or: 'disjunction' } as const;
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const MAX_DIGITS = 15;
/** Fraction digits of numbers without a pattern. */
const PLAIN_DIGITS = 3;
const MAX_ITEMS = 1_000;

/** Units of relative times, largest first, with their minimum in seconds. */
const UNITS = [
  ['year', 31_556_952],
  ['month', 2_629_746],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 0],
] as const;
/** Units always written with a number: "next year" refers to the calendar, and a year's distance can end in this one. */
const CALENDAR_UNITS = new Set<Intl.RelativeTimeFormatUnit>(['year', 'month', 'week']);
const DAY_MS = 86_400_000;

export const isStyle = (value: unknown): value is Style => (STYLES as readonly unknown[]).includes(value);

export const wrongStyle = (style: string): string | undefined =>
  isStyle(style) ? undefined : `the style ${style.slice(0, 20)} does not exist; the styles are ${STYLES.join(', ')}`;

export const wrongCurrency = (code: string): string | undefined =>
  CURRENCIES.has(code) ? undefined : `${code.slice(0, 20)} is not a currency; write an ISO 4217 code, such as "EUR"`;

export const wrongDigits = wholeNumber('the number of digits', [0, MAX_DIGITS], 'percent(1)');

export const wrongList = (kind: string): string | undefined =>
  Object.hasOwn(LISTS, kind) ? undefined : 'the kind of list must be "and" or "or"';

/** Formats a number for the locale, with all digits of a text. */
export function localNumber(number: string, reader: Reader): string {
  return formatFor(Intl.NumberFormat, reader, { maximumFractionDigits: PLAIN_DIGITS }).format(number as `${number}`);
}

export function currency(value: unknown, code: unknown, warn: Warn, reader: Reader): unknown {
  const number = numberIn(value, warn);
  if (number === undefined) return value;
  const known = textOf(code);
  const wrong = wrongCurrency(known);
  if (wrong) {
    warn(`written unchanged: ${wrong}`);
    return value;
  }
  return formatFor(Intl.NumberFormat, reader, { style: 'currency', currency: known }).format(number as `${number}`);
}

export function percent(value: unknown, digits: unknown, warn: Warn, reader: Reader): unknown {
  const number = numberIn(value, warn);
  if (number === undefined) return value;
  const wrong = digits === undefined ? undefined : wrongDigits(digits);
  if (wrong) warn(`written without fraction digits: ${wrong}`);
  const count = wrong || digits === undefined ? 0 : (digits as number);
  const options = { style: 'percent', minimumFractionDigits: count, maximumFractionDigits: count } as const;
  return formatFor(Intl.NumberFormat, reader, options).format(number as `${number}`);
}

/** Formats the day of a time in a style. A day without a time is the same in all zones. */
export function styledDate(read: ReadTime, dateStyle: Style, reader: Reader): string {
  const timeZone = read.isDay ? 'UTC' : reader.timeZone;
  return formatFor(Intl.DateTimeFormat, reader, { dateStyle, timeZone }).format(read.time);
}

export function styledTime(value: unknown, style: unknown, warn: Warn, reader: Reader): unknown {
  const read = timeIn(value, warn);
  if (!read) return value;
  const timeStyle = isStyle(style) ? style : 'short';
  return formatFor(Intl.DateTimeFormat, reader, { timeStyle, timeZone: reader.timeZone }).format(read.time);
}

/** Formats the distance of a time from another, or from now. Days without a time are counted as days. */
export function relative(value: unknown, from: unknown, warn: Warn, reader: Reader): unknown {
  const read = timeIn(value, warn);
  if (!read) return value;
  const other = from === undefined ? now() : timeIn(from, warn);
  if (!other) return value;
  const [unit, amount] = distance(read, other);
  return formatFor(Intl.RelativeTimeFormat, reader, { numeric: CALENDAR_UNITS.has(unit) ? 'always' : 'auto' }).format(
    amount,
    unit,
  );
}

const now = (): ReadTime => timeIn(Date.now(), () => undefined)!;

function distance(read: ReadTime, other: ReadTime): [unit: Intl.RelativeTimeFormatUnit, amount: number] {
  const isDays = read.isDay || other.isDay;
  const dayOf = (time: UTCDate): number => Math.floor(time.getTime() / DAY_MS) * DAY_MS;
  const [to, from] = isDays ? [dayOf(read.time), dayOf(other.time)] : [read.time.getTime(), other.time.getTime()];
  const seconds = (to - from) / 1_000;
  const fitting = UNITS.findIndex(([name, least]) => Math.abs(seconds) >= least || (isDays && name === 'day'));
  const [rounded, larger] = [inUnit(seconds, fitting), inUnit(seconds, Math.max(fitting - 1, 0))];
  // Rounding 59 minutes 40 seconds gives 60 minutes, which is an hour.
  return Math.abs(rounded.seconds) >= larger.length ? [larger.unit, larger.amount] : [rounded.unit, rounded.amount];
}

/** Rounds a distance to a unit. */
function inUnit(seconds: number, index: number) {
  const [unit, least] = UNITS[index]!;
  const length = least || 1;
  const amount = Math.round(seconds / length) || 0;
  return { unit, length, amount, seconds: amount * length };
}

export function list(value: unknown, kind: unknown, warn: Warn, reader: Reader): unknown {
  if (!Array.isArray(value)) return value;
  if (value.length > MAX_ITEMS) {
    warn(`truncated, because a list has at most ${MAX_ITEMS} items`);
  }
  const type = kind === 'or' ? LISTS.or : LISTS.and;
  const items = value.slice(0, MAX_ITEMS);
  if (hasNoText(items)) warn(NO_TEXT);
  const texts = items.map((item) => textOf(item));
  return formatFor(Intl.ListFormat, reader, { type }).format(texts);
}
