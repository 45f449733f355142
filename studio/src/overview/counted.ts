import type { Api } from '../api/client';
import type { Requests } from '../api/key-description';
import type { Right, ServiceName } from '../api/scope';
import { formatCount } from '../ui/format';
import type { Series } from '../ui/chart-scale';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Period that is read, to compare a week with the one before it. */
const DAYS = 14;
const HOURS = DAYS * 24;

/** Counts of an hour or a UTC day, in the order of the columns. */
interface Row {
  from: number;
  values: readonly number[];
}

export interface Counts {
  rows: readonly Row[];
  /** Time from which everything is counted; null for the whole period. */
  countedFrom: number | null;
}

interface Column {
  word: string;
  color: string;
  /** Filters of its list. */
  filters: Readonly<Record<string, string>>;
}

/** A service whose objects are counted over time. */
export interface Counted {
  title: string;
  href: string;
  /** Right to read the counts; none for what every key may read. */
  right?: Right;
  source: ServiceName | 'requests';
  ofRow: 'hour' | 'day';
  columns: readonly Column[];
  /** URL parameter of the end of a period; undefined if the list has no filter by time. */
  until?: string;
  read: (
    given: { api: Api; requests: (hours: number, signal: AbortSignal) => Promise<Requests> },
    signal: AbortSignal,
  ) => Promise<Counts>;
}

interface Activity<R> {
  countedFrom: string | null;
  rows: readonly R[] | null;
}

const countsOf = <R extends { from: string | null }>(
  { countedFrom, rows }: Activity<R>,
  fields: readonly (keyof R)[],
): Counts => ({
  countedFrom: countedFrom ? Date.parse(countedFrom) : null,
  rows: (rows ?? []).map((row) => ({ from: Date.parse(row.from!), values: fields.map((field) => Number(row[field] ?? 0)) })),
});

export const COUNTED: readonly Counted[] = [
  {
    title: 'Messages',
    href: '/push',
    right: ['websockets-manager', 'query', 'messageActivity'],
    source: 'websockets-manager',
    ofRow: 'hour',
    columns: [
      { word: 'acknowledged', color: '--chart-good', filters: { status: 'DELIVERED' } },
      { word: 'waiting', color: '--chart-wait', filters: { status: 'PENDING' } },
      { word: 'not delivered', color: '--chart-plain', filters: { status: 'CANCELLED' } },
    ],
    until: 'to',
    read: async ({ api: { push } }, signal) => {
      const { countedFrom, hours } = await push.messageActivity({ hours: HOURS }, undefined, { signal });
      return countsOf({ countedFrom, rows: hours }, ['delivered', 'pending', 'cancelled']);
    },
  },
  {
    title: 'Emails',
    href: '/email',
    right: ['email', 'query', 'messageActivity'],
    source: 'email',
    ofRow: 'hour',
    columns: [
      { word: 'sent', color: '--chart-good', filters: { status: 'SENT' } },
      { word: 'queued', color: '--chart-wait', filters: { status: 'QUEUED' } },
      { word: 'failed', color: '--chart-bad', filters: { status: 'FAILED' } },
    ],
    until: 'until',
    read: async ({ api: { email } }, signal) => {
      const { countedFrom, hours } = await email.messageActivity({ hours: HOURS }, undefined, { signal });
      return countsOf({ countedFrom, rows: hours }, ['sent', 'queued', 'failed']);
    },
  },
  {
    title: 'Requests',
    href: '#requests',
    source: 'requests',
    ofRow: 'hour',
    columns: [
      { word: 'without errors', color: '--chart-good', filters: {} },
      { word: 'with errors', color: '--chart-bad', filters: {} },
    ],
    read: async ({ requests }, signal) => {
      const { from, hours } = await requests(HOURS, signal);
      const found = new Map(hours.map((hour) => [Date.parse(hour.at), hour]));
      const rows = Array.from({ length: HOURS }, (_, at) => {
        const hour = Date.parse(from) + at * HOUR_MS;
        const { requests: all = 0, errors = 0 } = found.get(hour) ?? {};
        return { from: hour, values: [all - errors, errors] };
      });
      return { rows, countedFrom: null };
    },
  },
  {
    title: 'Log records',
    href: '/log',
    right: ['document-log', 'query', 'logActivity'],
    source: 'document-log',
    ofRow: 'day',
    columns: [{ word: 'record', color: '--chart-plain', filters: {} }],
    until: 'to',
    read: async ({ api: { log } }, signal) => {
      const { countedFrom, days } = await log.logActivity({ days: DAYS }, undefined, { signal });
      return countsOf({ countedFrom, rows: days }, ['records']);
    },
  },
];

/** Period of the charts, in milliseconds since 1970. Both ends are full hours, or full days in UTC. */
export interface Span {
  days: 1 | 7;
  first: number;
  end: number;
}

/** Returns the last 24 hours, or the last seven days in UTC. */
export function spanOf(days: 1 | 7, now: number): Span {
  const step = days === 1 ? HOUR_MS : DAY_MS;
  const end = (Math.floor(now / step) + 1) * step;
  return { days, first: end - days * DAY_MS, end };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Returns the rows between two times. A UTC day belongs to the last 24 hours if it is the current one. */
function rowsOf({ rows }: Counts, { ofRow }: Counted, first: number, end: number): readonly Row[] {
  const earliest = ofRow === 'day' ? end - Math.ceil((end - first) / DAY_MS) * DAY_MS : first;
  return rows.filter(({ from }) => from >= earliest && from < end);
}

/** Returns the bars of a period, an hour or a UTC day each, and the sum of each column. */
export function barsOf(counts: Counts, of: Counted, { days, first, end }: Span) {
  const rows = rowsOf(counts, of, first, end);
  const bars = [...Map.groupBy(rows, ({ from }) => (days === 1 ? from : from - (from % DAY_MS)))];
  const sum = (some: readonly Row[], at: number) => total(some.map(({ values }) => values[at] ?? 0));
  const series = of.columns.map(({ word, color }, at): Series => ({
    name: word[0]!.toUpperCase() + word.slice(1),
    color,
    values: bars.map(([, some]) => sum(some, at)),
  }));
  return { times: bars.map(([from]) => new Date(from).toISOString()), series, sums: of.columns.map((_, at) => sum(rows, at)) };
}

/** Compares a period with the one before it, and a day with that of a week before. Leaves out what was not counted in full. */
export function earlierOf(counts: Counts, of: Counted, { days, first, end }: Span): string | undefined {
  const sumBefore = (shiftDays: number) => {
    const begun = first - shiftDays * DAY_MS;
    if (begun < (counts.countedFrom ?? 0)) return undefined;
    const rows = rowsOf(counts, of, begun, end - shiftDays * DAY_MS);
    return formatCount(total(rows.flatMap(({ values }) => values)));
  };
  const shown =
    days === 1
      ? ([
          ['Day before', 1],
          ['Week before', 7],
        ] as const)
      : ([['Week before', 7]] as const);
  const words = shown.flatMap(([word, shift]) => {
    const sum = sumBefore(shift);
    return sum === undefined ? [] : [`${word}: ${sum}`];
  });
  return words.length > 0 ? words.join(', ') : undefined;
}
