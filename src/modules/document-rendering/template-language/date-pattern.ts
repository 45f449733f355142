import { UTCDate } from '@date-fns/utc';
import { format } from 'date-fns/format';
import { textOf } from './escaping.js';

const DEFAULT = 'yyyy-MM-dd';
const MAX_PATTERN = 100;
/** A date, with a time, with a zone: without one it is UTC. */
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** What is wrong with a pattern of Unicode's date fields (UTS #35), or nothing. */
export function wrongDatePattern(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return `a pattern has at most ${MAX_PATTERN} characters`;
  const letters = pattern.replace(/'[^']*'/g, '');
  if (/[YD]/.test(letters)) return 'Y and D count weeks and days of the year; write yyyy for the year and dd for the day';
  try {
    format(new UTCDate(0), pattern);
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.split(';')[0]!.replaceAll('`', '"');
    return `${reason}; a date pattern is made of Unicode's letters, such as "d MMMM yyyy" or "HH:mm"`;
  }
}

/** A time in UTC: milliseconds since 1970, or a text in ISO 8601. What is no time is given back as it is. */
export function formatDate(value: unknown, pattern: unknown): unknown {
  const text = textOf(value);
  if (typeof value !== 'number' && !ISO.test(text)) return value;
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/.test(text) || text.length === DEFAULT.length;
  const date = new UTCDate(typeof value === 'number' ? value : hasZone ? text : `${text}Z`);
  return Number.isNaN(date.getTime()) ? value : format(date, pattern === undefined ? DEFAULT : textOf(pattern));
}
