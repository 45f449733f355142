import { formatAxisHour, formatShortDay } from './format';
import { isUtc } from './zone';

export interface Series {
  name: string;
  /** Name of a token, such as `--chart-good`. */
  color: string;
  values: readonly number[];
}

/** Steps are for values that hold until the next. */
export type Form = 'bars' | 'steps';
/** First and last second of an axis. */
export type Domain = readonly [first: number, last: number];

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** Intervals of the labels of a time axis, in seconds. */
const INTERVALS = [
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_SECONDS),
  ...[1, 2, 7, 14, 30, 91].map((days) => days * DAY_SECONDS),
];
const LABEL_PX = 64;
const LINE_PX = 40;

export const secondsOf = (times: readonly string[]): number[] => times.map((time) => new Date(time).getTime() / 1_000);

/** Length of a bar. */
export const stepOf = (seconds: readonly number[]): number => (seconds.length > 1 ? seconds[1]! - seconds[0]! : DAY_SECONDS);

/** Default range: a bar needs the room of one more, and a single point some time before it. */
export function domainOf(seconds: readonly number[], form: Form): Domain {
  const first = seconds[0] ?? 0;
  const last = seconds.at(-1) ?? DAY_SECONDS;
  if (form === 'bars') return [first, last + stepOf(seconds)];
  return first === last ? [first - DAY_SECONDS, last] : [first, last];
}

/** Returns the bar or step of a second; undefined if there is none. */
export function indexAt(seconds: readonly number[], second: number, form: Form): number | undefined {
  const at = seconds.findLastIndex((one) => one <= second);
  if (at === -1) return undefined;
  return form === 'bars' && second >= seconds[at]! + stepOf(seconds) ? undefined : at;
}

/** Largest sum of the values of a bar, or largest value. */
export function largestOf(series: readonly Series[], form: Form): number {
  const rows = series.map(({ values }) => values);
  if (form === 'steps') return Math.max(0, ...rows.flat());
  return Math.max(0, ...(rows[0] ?? []).map((_, at) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0)));
}

/** Returns round values for the lines of an axis that ends above the largest value. */
export function linesOf(largest: number, height: number): number[] {
  const most = Math.max(largest, 1);
  const rough = most / Math.max(1, Math.floor(height / LINE_PX));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ...[1, 2, 5].map((one) => one * power).filter((one) => one <= rough));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}

/** Returns the labels of a time axis. A day is named in its middle, an hour where it begins, and midnight by the day that begins. */
export function labelsOf([first, last]: Domain, width: number): { second: number; text: string }[] {
  const most = Math.max(1, width / LABEL_PX);
  const every = INTERVALS.find((one) => (last - first) / one <= most) ?? INTERVALS.at(-1)!;
  const offset = isUtc() ? 0 : new Date(first * 1_000).getTimezoneOffset() * 60;
  const isOfDays = every >= DAY_SECONDS;
  const labels: { second: number; text: string }[] = [];
  for (let at = Math.ceil((first - offset) / every) * every + offset; at < last; at += every) {
    const second = isOfDays ? at + DAY_SECONDS / 2 : at;
    const isOfDay = isOfDays || (at - offset) % DAY_SECONDS === 0;
    if (second < last) labels.push({ second, text: (isOfDay ? formatShortDay : formatAxisHour)(second * 1_000) });
  }
  return labels;
}
