import { UTCDate } from '@date-fns/utc';
import { textOf } from '../text/escaping.js';
import type { Warn } from '../result/warnings.js';

/** A date, optionally with a time and a zone, as in ISO 8601 and as databases write it. */
const TIME = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const UNREADABLE =
  'written as it is, because it is not a date: a date is such as 2024-07-16, 2024-07-16T15:00:00Z or 2024-07-16 15:00:00, or a ' +
  'number of milliseconds since 1970';

/** A time that a value names. */
export interface ReadTime {
  time: UTCDate;
  /** Whether it is a day without a time, which no zone moves. */
  isDay: boolean;
}

/** Reads milliseconds since 1970 or a text. Returns nothing for any other value, with a warning unless it is missing. */
export function timeIn(value: unknown, warn: Warn): ReadTime | undefined {
  if (value === null || value === undefined) return undefined;
  const read = typeof value === 'number' ? { time: new UTCDate(value), isDay: false } : timeOfText(textOf(value));
  if (read && !Number.isNaN(read.time.getTime())) return read;
  warn(UNREADABLE);
  return undefined;
}

/** Returns nothing for a day that does not exist, since 30 February would otherwise become 1 March. */
function timeOfText(text: string): ReadTime | undefined {
  const [, day, dayOfMonth, time, zone = 'Z'] = TIME.exec(text.trim()) ?? [];
  if (day === undefined || new Date(day).getUTCDate() !== Number(dayOfMonth)) return undefined;
  const written = `${day}T${time ?? '00:00'}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}`;
  return { time: new UTCDate(written), isDay: time === undefined };
}
