import { useQuery } from '@tanstack/react-query';
import { type ComponentType, useMemo, useState } from 'react';
import { useApi, useDescription } from '../api/api-context';
import { missingEntry, type Right } from '../api/scope';
import { keptLive } from '../api/live';
import type { Series } from '../ui/chart-drawing';
import { seriesOf } from '../ui/chart-strip';
import { formatBytes, formatCount, formatDayHour, formatShortUtcDay, plural } from '../ui/format';
import { Chip } from '../ui/page';
import { useNow } from '../ui/use-now';
import { Lane, type Place } from './lane';
import styles from './overview.module.css';

const HOUR_SECONDS = 3_600;
const HOUR_MS = HOUR_SECONDS * 1_000;
/** Days that are read for each period, to compare with. */
const DAYS = 7;
const HOURS = DAYS * 24;

/** Period of all charts, with the hours per bar. */
const PERIODS = [
  { word: '24 hours', hours: 24, ofBar: 1 },
  { word: '7 days', hours: 168, ofBar: 6 },
] as const;
type Period = (typeof PERIODS)[number];

interface RowProps {
  period: Period;
  place: Place;
}

const ROWS: readonly { right: Right; Row: ComponentType<RowProps> }[] = [
  { right: ['websockets-manager', 'query', 'messageActivity'], Row: Pushes },
  { right: ['email', 'query', 'messageActivity'], Row: Mails },
  { right: ['document-log', 'query', 'logActivity'], Row: Records },
  { right: ['file-management', 'query', 'storageHistory'], Row: Storage },
];

/** Charts of the activity of the services, on one time axis with one cursor. Only counts that the key may read are shown. */
export function Activity() {
  const { scope } = useDescription();
  const [period, setPeriod] = useState<Period>(PERIODS[0]);
  const end = useEndOfHour();
  const domain = useMemo(() => [end - period.hours * HOUR_SECONDS, end] as const, [end, period]);
  const rows = ROWS.filter(({ right }) => missingEntry(scope, right) === undefined);
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="activity" className="stack tight">
      <div className={styles.head}>
        <h2 id="activity" className="grow">
          Activity
        </h2>
        {PERIODS.map((one) => (
          <Chip key={one.word} isActive={one === period} onClick={() => setPeriod(one)}>
            {one.word}
          </Chip>
        ))}
      </div>
      <div className={styles.activity}>
        {rows.map(({ Row }, at) => (
          <Row key={Row.name} period={period} place={{ domain, isLast: at === rows.length - 1 }} />
        ))}
      </div>
    </section>
  );
}

/** Second at which the current hour ends, updated as time passes. */
const useEndOfHour = (): number => Math.ceil(useNow() / HOUR_MS) * HOUR_SECONDS;

/** Groups the hours of a period into bars of several hours. */
function binned<R extends { from: string | null }>(
  hours: readonly R[] | null | undefined,
  { hours: count, ofBar }: Period,
  columns: readonly (readonly [name: string, color: string, field: keyof R])[],
): { times: string[]; series: Series[] } {
  const rows = (hours ?? []).slice(-count);
  const firsts = rows.filter((_, at) => at % ofBar === 0);
  const series = seriesOf(rows, columns).map((one) => ({
    ...one,
    values: firsts.map((_, bar) => one.values.slice(bar * ofBar, (bar + 1) * ofBar).reduce((sum, value) => sum + value, 0)),
  }));
  return { times: firsts.map(({ from }) => from!), series };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Compares a period with the day before it and the days of the week; undefined if these were not counted in full. */
function earlierOf(values: readonly number[], ofDay: number, { hours }: Period, isCut: boolean): string | undefined {
  if (isCut || values.length < DAYS * ofDay || total(values) === 0) return undefined;
  if (hours > 24) return `${formatCount(Math.round(total(values) / DAYS))} a day`;
  const before = values.slice(0, -ofDay);
  const average = formatCount(Math.round(total(before) / (DAYS - 1)));
  return `Day before: ${formatCount(total(before.slice(-ofDay)))}, average: ${average}`;
}

/** Returns whether counting began after the first hour or day. */
const isCutAt = (countedFrom: string | null | undefined, first: string | null | undefined): boolean =>
  Boolean(countedFrom && first && new Date(countedFrom) > new Date(first));

/** Page of the objects of a period. */
const listOf = (path: string, { domain: [first] }: Place, filters: Record<string, string> = {}): string =>
  `${path}?${new URLSearchParams({ ...filters, from: new Date(first * 1_000).toISOString() })}`;

const sumOf = (series: readonly Series[], at: number) => formatCount(total(series[at]?.values ?? []));

const PUSH_COLUMNS = [
  ['Acknowledged', '--chart-good', 'delivered'],
  ['Waiting', '--chart-wait', 'pending'],
  ['Not delivered', '--chart-plain', 'cancelled'],
] as const;

function Pushes({ period, place }: RowProps) {
  const { push } = useApi();
  const query = useQuery({
    queryKey: ['push', 'activity', HOURS],
    queryFn: ({ signal }) => push.messageActivity({ hours: HOURS }, undefined, { signal }),
    meta: keptLive('websockets-manager'),
  });
  const { times, series } = useMemo(() => binned(query.data?.hours, period, PUSH_COLUMNS), [query.data, period]);
  const isCut = isCutAt(query.data?.countedFrom, query.data?.hours?.[0]?.from);
  const counts = (query.data?.hours ?? []).map((hour) => (hour.delivered ?? 0) + (hour.pending ?? 0) + (hour.cancelled ?? 0));
  return (
    <Lane
      place={place}
      title="Messages"
      href="/push"
      tried="load push activity"
      query={query}
      label="Messages over time, by status"
      times={times}
      series={series}
      sums={[
        [`${sumOf(series, 0)} acknowledged`, listOf('/push', place, { status: 'DELIVERED' })],
        [`${sumOf(series, 1)} waiting`, listOf('/push', place, { status: 'PENDING' })],
        [`${sumOf(series, 2)} not delivered`, listOf('/push', place, { status: 'CANCELLED' })],
      ]}
      earlier={earlierOf(counts, 24, period, isCut)}
      formatAt={formatDayHour}
      filters={['from', 'to']}
      countedFrom={query.data?.countedFrom}
    />
  );
}

const MAIL_COLUMNS = [
  ['Sent', '--chart-good', 'sent'],
  ['Queued', '--chart-wait', 'queued'],
  ['Failed', '--chart-bad', 'failed'],
] as const;

function Mails({ period, place }: RowProps) {
  const { email } = useApi();
  const query = useQuery({
    queryKey: ['email', 'activity', HOURS],
    queryFn: ({ signal }) => email.messageActivity({ hours: HOURS }, undefined, { signal }),
    meta: keptLive('email'),
  });
  const { times, series } = useMemo(() => binned(query.data?.hours, period, MAIL_COLUMNS), [query.data, period]);
  const isCut = isCutAt(query.data?.countedFrom, query.data?.hours?.[0]?.from);
  const counts = (query.data?.hours ?? []).map((hour) => (hour.sent ?? 0) + (hour.queued ?? 0) + (hour.failed ?? 0));
  return (
    <Lane
      place={place}
      title="Emails"
      href="/email"
      tried="load email activity"
      query={query}
      label="Emails over time, by status"
      times={times}
      series={series}
      sums={[
        [`${sumOf(series, 0)} sent`, listOf('/email', place, { status: 'SENT' })],
        [`${sumOf(series, 1)} queued`, listOf('/email', place, { status: 'QUEUED' })],
        [`${sumOf(series, 2)} failed`, listOf('/email', place, { status: 'FAILED' })],
      ]}
      earlier={earlierOf(counts, 24, period, isCut)}
      formatAt={formatDayHour}
      filters={['from', 'until']}
      countedFrom={query.data?.countedFrom}
    />
  );
}

const RECORD_COLUMNS = [['Records', '--chart-plain', 'records']] as const;
const utcDay = (time: string) => `${formatShortUtcDay(time)} (UTC)`;

/** Records are counted by UTC day, so a day is one wide bar. */
function Records({ period, place }: RowProps) {
  const { log } = useApi();
  const days = period.hours / 24;
  const query = useQuery({
    queryKey: ['log', 'activity', DAYS],
    queryFn: ({ signal }) => log.logActivity({ days: DAYS }, undefined, { signal }),
    meta: keptLive('document-log'),
  });
  const shown = useMemo(() => (query.data?.days ?? []).slice(-days), [query.data, days]);
  const times = useMemo(() => shown.map(({ from }) => from!), [shown]);
  const series = useMemo(() => seriesOf(shown, RECORD_COLUMNS), [shown]);
  const sum = total(series[0]?.values ?? []);
  const counts = (query.data?.days ?? []).map(({ records }) => records ?? 0);
  const isCut = isCutAt(query.data?.countedFrom, query.data?.days?.[0]?.from);
  return (
    <Lane
      place={place}
      title="Log records"
      href="/log"
      tried="load log activity"
      query={query}
      label="Records by day (UTC)"
      times={times}
      series={series}
      sums={[
        [`${plural(sum, 'record')}${days === 1 ? ' today (UTC)' : ''}`, `/log?${new URLSearchParams({ from: times[0] ?? '' })}`],
      ]}
      earlier={earlierOf(counts, 1, period, isCut)}
      formatAt={utcDay}
      filters={['from', 'to']}
      countedFrom={query.data?.countedFrom}
    />
  );
}

/** Growth of the stored bytes over a period. */
function grown(samples: readonly { fileSize: number | null }[]): string | undefined {
  const [first, last] = [samples[0]?.fileSize, samples.at(-1)?.fileSize];
  if (samples.length < 2 || typeof first !== 'number' || typeof last !== 'number') return undefined;
  const change = last - first;
  return change === 0 ? 'Unchanged' : `${change > 0 ? '+' : '−'}${formatBytes(Math.abs(change))}`;
}

function Storage({ period, place }: RowProps) {
  const { files } = useApi();
  const days = period.hours / 24;
  const query = useQuery({
    queryKey: ['files', 'storage-history', 'overview', days],
    queryFn: ({ signal }) => files.storageHistory({ days }, undefined, { signal }),
    meta: keptLive('file-management'),
  });
  const samples = query.data;
  const times = useMemo(() => (samples ?? []).map(({ at }) => at!), [samples]);
  const series = useMemo(
    () => [{ name: 'Stored', color: '--chart-plain', values: (samples ?? []).map(({ fileSize }) => fileSize ?? 0) }],
    [samples],
  );
  const last = samples?.at(-1);
  return (
    <Lane
      place={place}
      title="Storage"
      href="/files/storage"
      tried="load storage"
      query={query}
      label="Bytes stored over time"
      times={times}
      series={series}
      sums={[[`${formatBytes(last?.fileSize ?? 0)} in ${plural(last?.fileCount ?? 0, 'file')}`, '/files/storage']]}
      earlier={grown(samples ?? [])}
      form="steps"
      formatAt={formatDayHour}
      formatValue={formatBytes}
    />
  );
}
