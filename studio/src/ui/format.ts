const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
const NUMBER = new Intl.NumberFormat('en');
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const FAR_SECONDS = 30 * 86_400;

export const formatCount = (count: number): string => NUMBER.format(count);

/** Writes a number of bytes in decimal units with up to three digits, such as 1.25 MB. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${new Intl.NumberFormat('en', { maximumSignificantDigits: power === 0 ? 4 : 3 }).format(value)} ${UNITS[power]}`;
}

export const formatTime = (at: string | Date): string => EXACT.format(new Date(at));

/** Writes how long ago or ahead a time is; one that is more than 30 days away is written as a date. */
export function formatRelative(at: string | Date, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1_000;
  if (Math.abs(seconds) >= FAR_SECONDS) return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date(at));
  const [unit, length] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  if (unit === 'second' && Math.abs(seconds) < 10) return 'just now';
  return RELATIVE.format(Math.round(seconds / length), unit);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
