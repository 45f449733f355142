import { isUtc } from './zone';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
const NUMBER = new Intl.NumberFormat('en');
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const FAR_SECONDS = 30 * 86_400;

export const formatCount = (count: number): string => NUMBER.format(count);

/** Formats bytes in decimal units with up to three digits, such as 1.25 MB. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${new Intl.NumberFormat('en', { maximumSignificantDigits: power === 0 ? 4 : 3 }).format(value)} ${UNITS[power]}`;
}

/** Words are English; date order and clock are those of the browser. */
const LOCALE = navigator.languages.find((one) => /^en\b/.test(one)) ?? 'en-GB';
const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();

/** Returns a formatter in the chosen zone. In UTC it can have other options too, such as the name of the zone. */
function timeFormat(
  options: Intl.DateTimeFormatOptions,
  inUtc: Intl.DateTimeFormatOptions = {},
): (at: string | number | Date) => string {
  const local = new Intl.DateTimeFormat(LOCALE, options);
  const utc = new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: 'UTC', ...inUtc });
  return (at) => (isUtc() ? utc : local).format(new Date(at));
}

const CLOCK = { hour: '2-digit', minute: '2-digit', ...(hourCycle && { hourCycle }) } as const;
const DAY = { day: 'numeric', month: 'short' } as const;

/** A time to the second. */
export const formatTime = timeFormat({ ...DAY, ...CLOCK, year: 'numeric', second: '2-digit' }, { timeZoneName: 'short' });
/** The time of day. */
export const formatHour = timeFormat(CLOCK);
/** The time of day in short form for an axis: 6 PM, or 18:00. */
export const formatAxisHour = timeFormat(hourCycle?.startsWith('h1') ? { hour: 'numeric', hourCycle } : CLOCK);
/** An hour of a day. */
export const formatDayHour = timeFormat({ ...DAY, ...CLOCK });
export const formatClock = timeFormat({ ...CLOCK, second: '2-digit' });
/** A day without its year, as charts have it. */
export const formatShortDay = timeFormat(DAY);
export const formatShortUtcDay = timeFormat({ ...DAY, timeZone: 'UTC' });
const formatDayOfYear = timeFormat({ ...DAY, weekday: 'short' });
const formatOtherDay = timeFormat({ ...DAY, weekday: 'short', year: 'numeric' });

/** Formats a day, with its year if it is not the current one. */
export const formatDay = (at: string): string =>
  (new Date(at).getFullYear() === new Date().getFullYear() ? formatDayOfYear : formatOtherDay)(at);

const formatDate = timeFormat({ ...DAY, year: 'numeric' });

/** Formats a relative time; beyond 30 days, a date. */
export function formatRelative(at: string | Date, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1_000;
  if (Math.abs(seconds) >= FAR_SECONDS) return formatDate(at);
  const [unit, length] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  if (unit === 'second' && Math.abs(seconds) < 10) return 'just now';
  return RELATIVE.format(Math.round(seconds / length), unit).replace('.', ''); // 2 min ago
}

/** Formats a duration in its largest unit, such as 6 min. */
export function formatDuration(ms: number): string {
  const [unit, length] = STEPS.find(([, step]) => ms / 1_000 >= step) ?? ['minute', 60];
  const count = Math.max(1, Math.round(ms / 1_000 / length));
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'short' }).format(count);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
