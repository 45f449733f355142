import { UTCDate } from '@date-fns/utc';
import { textOf } from '../text/escaping.js';
import type { Warn } from '../result/warnings.js';

/** Date with optional time and zone, in ISO 8601 or as written by databases. */
const TIME = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const UNREADABLE =
  'written unchanged, because it is not a date such as 2024-07-16, 2024-07-16T15:00:00Z or 2024-07-16 15:00:00, or a ' +
  'number of milliseconds since 1970';

/** Parsed time. */
export interface ReadTime {
  time: UTCDate;
  /** True for a day without a time, which is the same in all zones. */
  isDay: boolean;
}

/** Parses milliseconds since 1970 or a text. Returns undefined for other values, with a warning unless missing. */
export function timeIn(value: unknown, warn: Warn): ReadTime | undefined {
  if (value === null || value === undefined) return undefined;
  const read = typeof value === 'number' ? { time: new UTCDate(value), isDay: false } : timeOfText(textOf(value));
  if (read && !Number.isNaN(read.time.getTime())) return read;
  warn(UNREADABLE);
  return undefined;
}

/** Parses a text. Returns undefined for an invalid day, since Date turns 30 February into 1 March. */
function timeOfText(text: string): ReadTime | undefined {
  const [, day, dayOfMonth, time, zone = 'Z'] = TIME.exec(text.trim()) ?? [];
  if (day === undefined || new Date(day).getUTCDate() !== Number(dayOfMonth)) return undefined;
  const written = `${day}T${time ?? '00:00'}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}`;
  return { time: new UTCDate(written), isDay: time === undefined };
}
