import type { UTCDate } from '@date-fns/utc';
import { LRUCache } from 'lru-cache';
import { formatFor, type Reader } from './reader.js';

type Width = 'short' | 'long' | 'narrow';

/** Width by field length: MMM is short, MMMM long, MMMMM narrow. */
const WIDTHS: Record<number, Width> = { 3: 'short', 4: 'long', 5: 'narrow', 6: 'short' };

const MAX_NAMES = 2_000;
/** Cache of month and weekday names. Computing one takes as long as all other fields of a date. */
const names = new LRUCache<string, string>({ max: MAX_NAMES });
/** Calendar of patterns, regardless of the locale's preference. */
const CALENDAR = { calendar: 'gregory', timeZone: 'UTC' } as const;

/**
 * Formats a name field of a date pattern: a month, weekday, day period or era. Returns undefined for other fields, and without a
 * locale, whose names are English.
 */
export function localName(token: string, shown: UTCDate, reader: Reader): string | undefined {
  if (reader.locale === undefined || !/^(M{3,5}|L{3,5}|E{1,6}|e{3,6}|c{3,6}|a{1,5}|G{1,5})$/.test(token)) return undefined;
  const index = indexOf(token[0]!, shown);
  if (index === undefined) return computedName(token, shown, reader);
  const key = `${reader.locale} ${token} ${index}`;
  const name = names.get(key) ?? computedName(token, shown, reader);
  if (name !== undefined) names.set(key, name);
  return name;
}

/** Returns the month or weekday number of a name that depends on nothing else, or undefined. */
function indexOf(letter: string, shown: UTCDate): number | undefined {
  if (/[Eec]/.test(letter)) return shown.getUTCDay();
  return /[ML]/.test(letter) ? shown.getUTCMonth() : undefined;
}

function computedName(token: string, shown: UTCDate, reader: Reader): string | undefined {
  const letter = token[0]!;
  const width = WIDTHS[token.length] ?? 'short';
  const formatOf = (options: Intl.DateTimeFormatOptions) => formatFor(Intl.DateTimeFormat, reader, { ...options, ...CALENDAR });
  const part = (type: string, options: Intl.DateTimeFormatOptions): string | undefined =>
    formatOf(options)
      .formatToParts(shown)
      .find((one) => one.type === type)?.value;
  if (letter === 'a') return part('dayPeriod', { hour: 'numeric', hour12: true });
  if (letter === 'G') return part('era', { era: token.length < 4 ? 'short' : width });
  if (letter === 'L') return formatOf({ month: width }).format(shown);
  if (letter === 'c') return formatOf({ weekday: width }).format(shown);
  // Formatted within a date, where many languages use another case. Some write the month's number there, without its word.
  if (letter !== 'M') return part('weekday', { weekday: width, day: 'numeric', month: 'long', year: 'numeric' });
  const within = part('month', { month: width, day: 'numeric', year: 'numeric' });
  return within === undefined || /^\d+$/.test(within) ? formatOf({ month: width }).format(shown) : within;
}
